"""The process that starts the ranks leaves nothing of theirs behind, however they tried to get away."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from tests.slice.conftest import alive

# As Ray and other daemons do: away from the session, the parent and the streams.
_DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        open(sys.argv[1], "w").close()
        time.sleep(300)
    os._exit(0)
os.wait()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
"""


def test_a_daemon_that_a_rank_left_behind_is_ended(tmp_path: Path) -> None:
    """The rank ends in order, its daemon does not: it is found and ended all the same."""
    started = tmp_path / "started"
    job = {
        "command": [sys.executable, "-c", _DAEMON, str(started)],
        "folder": str(tmp_path),
        "environments": [dict(os.environ)],
        "seconds": 60,
        "memory_bytes": 2**32,
        "network": True,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.slice.launcher"],
        input=json.dumps(job) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert started.exists()
    assert json.loads(done.stdout.splitlines()[-1]) == {"event": "end", "reason": "", "codes": [0]}
    deadline = time.monotonic() + 10
    while alive(str(started)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert alive(str(started)) == []

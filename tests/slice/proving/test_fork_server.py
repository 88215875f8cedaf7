"""The process that forks: what it refuses, and that a fork is the program as its interpreter would run it."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tpuguru.slice import proving

SERVER = Path(proving.__file__).parents[1] / "workers" / "fork_server.py"


class Client:
    """Speaks with a server as tpuguru does."""

    def __init__(self, connection: socket.socket, folder: Path) -> None:
        self._connection = connection
        self._reader = connection.makefile("r", encoding="utf-8")
        self._folder = folder
        self._runs = 0

    def preload(self, *modules: str) -> str:
        self._connection.sendall(json.dumps({"preload": modules}).encode() + b"\n")
        self.told = json.loads(self._reader.readline())
        return str(self.told["objection"])

    def run(
        self, program: list[str], *arguments: str, environment: dict[str, str] | None = None
    ) -> tuple[int, str]:
        """Exit code and output."""
        self._runs += 1
        output = self._folder / f"output{self._runs}"
        message = {
            "id": self._runs,
            "program": program,
            "arguments": arguments,
            "environment": environment or {},
            "folder": str(self._folder),
        }
        with output.open("wb") as file:
            data = json.dumps(message).encode() + b"\n"
            socket.send_fds(self._connection, [data], [file.fileno(), file.fileno()])
            told: dict[str, Any] = {}
            while told.get("event") != "ended":
                told = json.loads(self._reader.readline())
        return told["code"], output.read_text()


@contextmanager
def serving(folder: Path) -> Iterator[Client]:
    """A server with the interpreter that runs the tests."""
    path = folder / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(path))
        listener.listen(1)
        process = subprocess.Popen([sys.executable, str(SERVER), str(path)])
        try:
            listener.settimeout(60)
            connection, _ = listener.accept()
            with connection:
                yield Client(connection, folder)
                connection.shutdown(socket.SHUT_RDWR)
        finally:
            assert process.wait(timeout=60) == 0  # it ends when nobody speaks with it any more


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    with serving(tmp_path) as connected:
        yield connected


def test_a_fork_is_the_program_itself(client: Client, tmp_path: Path) -> None:
    """Its arguments, environment, folder, imports beside the script, and nothing of an earlier fork."""
    (tmp_path / "helper.py").write_text("VALUE = 7\n")
    (tmp_path / "main.py").write_text(
        "import os, sys, json, helper\n"
        "assert __name__ == '__main__'\n"
        "assert not hasattr(json, 'touched')\n"
        "json.touched = True\n"
        "print(sys.argv[1:], os.environ.get('ONE'), os.getcwd() == sys.path[0], helper.VALUE)\n"
    )
    assert client.preload("json", "no_such_module") == ""
    script = [str(tmp_path / "main.py")]
    assert client.run(script, "--x", "1", environment={"ONE": "1"}) == (0, "['--x', '1'] 1 True 7\n")
    assert client.run(script) == (0, "[] None True 7\n")
    assert client.run(["-m", "main"], "a")[1] == "['a'] None True 7\n"


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("import sys; sys.exit(3)", 3, ""),
        ("import sys; sys.exit('no data')", 1, "no data"),
        ("raise ValueError('bad batch')", 1, "ValueError: bad batch"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", -9, ""),
        ("import atexit; atexit.register(print, 'bye')", 0, "bye"),
        (
            "import threading, time; threading.Thread(target=lambda: (time.sleep(.2), print('late'))).start()",
            0,
            "late",
        ),
    ],
)
def test_it_ends_as_under_its_interpreter(
    client: Client, tmp_path: Path, text: str, code: int, said: str
) -> None:
    """Exit codes, messages, signals, exit handlers and threads that are waited for."""
    (tmp_path / "main.py").write_text(text)
    assert client.preload() == ""
    ended, output = client.run([str(tmp_path / "main.py")])
    assert ended == code
    assert said in output


def test_a_module_that_starts_threads_is_named(tmp_path: Path) -> None:
    """A fork has only one of the threads, and the locks of all; nothing after the module is imported."""
    server = SERVER.read_text().partition('if __name__ == "__main__"')[0]
    (tmp_path / "busy.py").write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait, args=(5,), daemon=True).start()\n"
    )
    # The folder plays the one where packages are installed.
    installed = f"sysconfig.get_path = lambda name: {str(tmp_path)!r}\nsys.path.insert(0, {str(tmp_path)!r})"
    question = "print(preload(['nothing', 'busy', 'later']), objection())"
    done = subprocess.run(
        [sys.executable, "-c", f"{server}\n{installed}\n{question}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith("busy importing its modules starts threads")

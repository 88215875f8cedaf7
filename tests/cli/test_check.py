"""Bad input to `tpuguru check`: one clear sentence each, the right exit code, nothing executed, nothing lost."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.toolchain import toolchain_python

TINY = (
    "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml per_device_batch_size=2 "
    "max_target_length=256 base_num_decoder_layers=2 base_emb_dim=256 base_mlp_dim=512 base_num_query_heads=2 "
    "base_num_kv_heads=2 vocab_size=1024 dataset_type=synthetic enable_checkpointing=False"
)


def start(
    *arguments: str, paste: str | bytes | None = None, environment: dict[str, str] | None = None
) -> subprocess.Popen[bytes]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tpuguru.cli.main", "check", *arguments],
        stdin=subprocess.PIPE if paste is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **(environment or {})},
    )
    if paste is not None and process.stdin is not None:
        try:
            process.stdin.write(paste.encode() if isinstance(paste, str) else paste)
            process.stdin.close()
        except BrokenPipeError:
            pass
        process.stdin = None
    return process


class Done:
    """A finished command."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        out, error = process.communicate(timeout=500)
        self.code, self.out, self.error = process.returncode, out.decode(), error.decode()
        assert "Traceback" not in self.error

    @property
    def report(self) -> dict[str, Any]:
        report: dict[str, Any] = json.loads(self.out)
        return report

    @property
    def sentence(self) -> str:
        """The error's sentence."""
        return next((line for line in self.error.splitlines() if line.startswith("error: ")), "")


def check(
    paste: str | bytes, *options: str, environment: dict[str, str] | None = None, slice_name: str = "v6e-4"
) -> Done:
    words = ["-", "--output-format", "json", "--quiet", *options]
    words += ["--slice", slice_name] if slice_name else []
    return Done(start(*words, paste=paste, environment=environment))


@pytest.fixture
def no_toolchain(tmp_path: Path) -> dict[str, str]:
    """An environment whose cache and state folders are empty."""
    return {"XDG_CACHE_HOME": str(tmp_path / "cache"), "XDG_STATE_HOME": str(tmp_path / "state")}


def test_a_misspelt_key_is_rejected_with_its_place(no_toolchain: dict[str, str]) -> None:
    """The finding carries line and column, and the name that was meant."""
    done = check(f"{TINY} \\\n  per_device_batchsize=4\n", environment=no_toolchain)
    assert done.code == 1
    assert done.report["verdict"]["outcome"] == "rejected"
    (finding,) = [found for found in done.report["findings"] if found["name"] == "unknown-key"]
    assert (finding["location"]["line"], finding["location"]["column"]) == (2, 3)
    assert "per_device_batch_size" in finding["fix"]


def test_an_unknown_model_is_rejected(no_toolchain: dict[str, str]) -> None:
    """A model name that MaxText lacks, with the near ones."""
    done = check(f"{TINY} model_name=llama3.1-8bb", environment=no_toolchain)
    assert done.code == 1
    assert "llama3.1-8bb" in done.report["verdict"]["sentence"]


def test_a_topology_that_does_not_exist_is_a_usage_error(no_toolchain: dict[str, str]) -> None:
    """No v6e slice has 250 chips."""
    done = check(TINY, environment=no_toolchain, slice_name="v6e-250")
    assert (done.code, done.out) == (2, "")
    assert "v6e-250" in done.sentence


def test_no_slice_asks_for_one(no_toolchain: dict[str, str]) -> None:
    """Without a slice there is nothing to compile for; the help says how to name one."""
    done = check(TINY, environment=no_toolchain, slice_name="")
    assert done.code == 2
    assert "which slice" in done.sentence
    assert "--slice" in done.error


def test_a_product_that_misses_the_slice_stops_before_a_compile(no_toolchain: dict[str, str]) -> None:
    """3 × 2 devices are not 8, and no toolchain is needed to see it."""
    paste = f"{TINY} ici_fsdp_parallelism=3 ici_tensor_parallelism=2"
    done = check(paste, environment=no_toolchain, slice_name="v6e-8")
    assert done.code == 1
    assert done.report["verdict"]["outcome"] in ("rejected", "not_compiled")
    assert done.report["runs"] == []


def test_a_missing_toolchain_names_the_command_that_installs_it(no_toolchain: dict[str, str]) -> None:
    """A tool failure, not a finding."""
    done = check(TINY, environment=no_toolchain)
    assert (done.code, done.out) == (4, "")
    assert "not installed" in done.sentence
    assert "tpuguru toolchain install" in done.error


def test_an_unknown_toolchain_is_a_usage_error(no_toolchain: dict[str, str]) -> None:
    """A version that nobody has locked."""
    done = check(TINY, "--toolchain", "maxtext==9.9.9", environment=no_toolchain)
    assert done.code == 2
    assert "9.9.9" in done.sentence


def test_an_empty_paste_is_nothing_to_check() -> None:
    """Nothing checked never looks like success."""
    done = check("")
    assert (done.code, done.out) == (3, "")
    assert done.sentence


def test_a_paste_without_a_launch_is_nothing_to_check() -> None:
    """A script that starts no framework we know."""
    assert check("echo hello\n").code == 3


def test_a_huge_paste_is_refused_in_one_sentence() -> None:
    """100 MB are not a launch script."""
    done = check(b"x" * (100 * 2**20))
    assert done.code == 2
    assert done.sentence


def test_nothing_of_the_paste_is_executed(tmp_path: Path, no_toolchain: dict[str, str]) -> None:
    """rm -rf, command substitutions and redirections are read, not run."""
    canary = tmp_path / "canary"
    canary.write_text("alive")
    made = tmp_path / "made"
    paste = f"rm -rf {tmp_path}\nx=$(touch {made})\ntouch {made} > {made}\n{TINY} stepz=`touch {made}`\n"
    done = check(paste, environment=no_toolchain)
    assert done.code == 1
    assert canary.read_text() == "alive"
    assert not made.exists()


def test_a_secret_in_the_paste_reaches_neither_report_nor_screen(no_toolchain: dict[str, str]) -> None:
    """A token is redacted wherever it stood."""
    done = check(f"{TINY} hf_access_token=hf_s3cr3t stepz=1", environment=no_toolchain)
    assert "hf_s3cr3t" not in done.out + done.error


def test_an_unknown_output_format_is_a_usage_error() -> None:
    """With the name that was meant."""
    done = Done(start("-", "--output-format", "jsn", paste=TINY))
    assert done.code == 2
    assert "json" in done.error


def test_two_formats_for_standard_output_are_refused() -> None:
    """Two documents in one stream are none."""
    done = Done(start("-", "--output-format", "json", "--output-format", "text", paste=TINY))
    assert done.code == 2


def test_several_formats_go_to_their_files(tmp_path: Path, no_toolchain: dict[str, str]) -> None:
    """One check, three readers."""
    words = ["-", "--quiet", "--slice", "v6e-4", "--output-format", "text"]
    for name in ("json", "markdown"):
        words += ["--output-format", f"{name}={tmp_path / name}"]
    done = Done(start(*words, paste=f"{TINY} stepz=1", environment=no_toolchain))
    assert done.out.startswith("tpuguru check")
    assert json.loads((tmp_path / "json").read_text())["schema"] == "check/v1"
    assert (tmp_path / "markdown").read_text().startswith("# tpuguru check")


def test_a_folder_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    """The run store's folder is a file: nothing can be stored."""
    toolchain_python()
    blocked = tmp_path / "file"
    blocked.write_text("")
    done = check(TINY, environment={"XDG_STATE_HOME": str(blocked)})
    assert done.code in (2, 4)
    assert done.sentence


def workers_of(process: subprocess.Popen[bytes]) -> list[int]:
    """Return the process ids of the command's descendants."""
    found, queue = [], [process.pid]
    while queue:
        parent = queue.pop()
        try:
            children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        except OSError:
            continue
        found += [int(child) for child in children]
        queue += [int(child) for child in children]
    return found


def wait_for_workers(process: subprocess.Popen[bytes]) -> list[int]:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        found = workers_of(process)
        if found:
            return found
        time.sleep(0.2)
    pytest.fail("the check started no worker")


@pytest.mark.toolchain
def test_a_killed_worker_is_a_tool_failure(tmp_path: Path) -> None:
    """Neither a verdict nor a finding: the run can be asked again."""
    toolchain_python()
    process = start(
        "-",
        "--quiet",
        "--slice",
        "v6e-4",
        "--prove",
        "none",
        "--output-format",
        "json",
        paste=TINY,
        environment={"XDG_STATE_HOME": str(tmp_path)},
    )
    for worker in wait_for_workers(process):
        os.kill(worker, signal.SIGKILL)
    done = Done(process)
    assert done.code == 4
    assert "worker" in (done.sentence or " ".join(done.report["errors"]))


@pytest.mark.toolchain
def test_ctrl_c_leaves_nothing_running(tmp_path: Path) -> None:
    """130, and the worker is gone."""
    toolchain_python()
    process = start("-", "--slice", "v6e-4", paste=TINY, environment={"XDG_STATE_HOME": str(tmp_path)})
    workers = wait_for_workers(process)
    process.send_signal(signal.SIGINT)
    done = Done(process)
    assert done.code == 130
    assert "interrupted" in done.error
    assert not [worker for worker in workers if Path(f"/proc/{worker}/cmdline").exists()]


def test_a_corrupt_toolchain_names_the_way_to_a_new_one(
    no_toolchain: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An environment that looks complete and does not start: a tool failure, with what repairs it."""
    for name, value in no_toolchain.items():
        monkeypatch.setenv(name, value)
    from tpuguru.aot.toolchains import find_toolchain  # noqa: PLC0415

    python = find_toolchain("maxtext==0.2.5").python
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\nexit 7\n")
    python.chmod(0o755)
    (python.parents[1] / ".tpuguru-complete.json").write_text("{}")
    done = check(TINY, environment=no_toolchain)
    assert done.code == 4
    assert "toolchain" in done.sentence + " ".join(done.report["errors"] if done.out else [])


@pytest.mark.toolchain
def test_two_checks_at_once_compile_once(tmp_path: Path) -> None:
    """Both get the same answer, from one run."""
    toolchain_python()
    state = {"XDG_STATE_HOME": str(tmp_path)}
    words = ("-", "--quiet", "--slice", "v6e-4", "--prove", "none", "--output-format", "json")
    both = [start(*words, paste=TINY, environment=state) for _ in range(2)]
    done = [Done(process) for process in both]
    assert [each.code for each in done] == [0, 0]
    runs = [each.report["runs"][0]["run_id"] for each in done]
    assert runs[0] == runs[1]
    assert len(list((tmp_path / "tpuguru/runs").glob("[0-9a-f]*"))) == 1

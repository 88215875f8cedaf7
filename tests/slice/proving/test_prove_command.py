"""Settings of real programs, proved through the command line with the real compiler."""

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.slice.conftest import PROGRAMS, alive, rehearsed, tpuguru

type Settings = dict[str, dict[str, Any]]

_SECONDS = 500


def prove(
    folders: dict[str, str],
    python: Path,
    program: str,
    *words: str,
    level: str = "fast",
    variables: tuple[str, ...] = (),
) -> tuple[int, dict[str, Any], str]:
    """Exit code, report and standard error of a proof of ``program`` with ``words`` on its command line."""
    command = (*variables, str(python), str(PROGRAMS / program), *words)
    run = rehearsed(folders, "--slice", "v6e:2x2", "--prove", level, "--", *command, seconds=_SECONDS)
    return run.code, run.report, run.stderr


def by_key(report: dict[str, Any]) -> Settings:
    return {setting["key"]: setting for setting in report["settings"]}


@pytest.fixture(scope="module")
def proved(python: Path, folders: dict[str, str]) -> tuple[int, dict[str, Any], str]:
    """A proof of a script whose options do all that options can do."""
    words = "--data x --run-name a --lr 0.5 --layers 2 --width 32 --remat=full --attention full --window 8"
    return prove(
        folders, python, "settings.py", *words.split(), "--bf16", "--dtype", "bfloat16", "--old-flag", "yes"
    )


@pytest.mark.toolchain
def test_each_verdict_is_what_the_script_does(proved: tuple[int, dict[str, Any], str]) -> None:
    """Live, needed, default, masked, redundant and without effect: known from the script, found by measuring."""
    code, report, _ = proved
    settings = by_key(report)
    verdicts = {key: setting["verdict"] for key, setting in settings.items()}
    assert verdicts == {
        "--data": "needed",
        "--run-name": "no-effect",
        "--lr": "no-effect",
        "--layers": "live",
        "--width": "default",
        "--remat": "live",
        "--attention": "live",
        "--window": "masked",
        "--bf16": "redundant",
        "--dtype": "redundant",
        "--old-flag": "no-effect",
    }
    assert settings["--window"]["masked_by"] == ["--attention"]
    assert settings["--bf16"]["masked_by"] == ["--dtype"]
    assert settings["--width"]["tried"] == "--width=64"
    assert "the following arguments are required: --data" in settings["--data"]["reason"]
    assert code == 1  # nobody can have meant a setting that another one hides


@pytest.mark.toolchain
def test_a_live_setting_is_shown_by_what_differs(proved: tuple[int, dict[str, Any], str]) -> None:
    """The step is named, with operations that only one of the two has."""
    _, report, _ = proved
    attention = by_key(report)["--attention"]
    assert attention["hash_with"] != attention["hash_without"]
    assert attention["changes_main"]
    change = next(change for change in attention["changes"] if change["program"] == "jit_train_step")
    assert change["how"] == "differs"
    assert any(line.startswith("+ ") and "stablehlo." in line for line in change["lines"])
    assert report["main"] == "jit_train_step"
    assert "jit_train_step" in report["compared"]


@pytest.mark.toolchain
def test_runs_are_forked_and_leave_nothing(
    proved: tuple[int, dict[str, Any], str], folders: dict[str, str]
) -> None:
    """All but the first run and the last check are forks of one process; no process is left, the proof is kept."""
    _, report, stderr = proved
    assert report["forked"] >= report["runs"] - 3
    assert report["judged"]
    assert alive(str(PROGRAMS / "settings.py")) == []
    assert alive("fork_server.py") == []
    stored = json.loads((Path(report["folder"]) / "proof.json").read_text())
    assert stored == report
    assert report["folder"].startswith(folders["XDG_STATE_HOME"])
    assert "with some of its settings left out" in stderr  # said before anything ran


@pytest.mark.toolchain
def test_a_step_that_differs_by_itself(python: Path, folders: dict[str, str]) -> None:
    """The clock in the step is set aside and named; what else changes the step still shows."""
    code, report, _ = prove(
        folders, python, "settings.py", "--data=x", "--clock", "--steps", "3", "--layers", "2"
    )
    settings = by_key(report)
    assert report["unstable"] == ["jit_train_step"]
    assert report["judged"]
    assert settings["--steps"]["verdict"] == "no-effect"
    assert settings["--layers"]["verdict"] == "live"
    assert settings["--clock"]["verdict"] == "live"
    assert code == 0


@pytest.mark.toolchain
def test_a_program_that_fails_says_with_which_setting(python: Path, folders: dict[str, str]) -> None:
    """A batch that four devices cannot share: without the setting the program runs."""
    code, report, _ = prove(folders, python, "settings.py", "--data", "x", "--batch", "6")
    assert code == 1
    assert "IndivisibleError" in report["refusal"]
    assert by_key(report)["--batch"]["verdict"] == "harmful"
    assert by_key(report)["--data"]["verdict"] == "untested"


@pytest.mark.toolchain
def test_variables_and_compiler_flags(python: Path, folders: dict[str, str]) -> None:
    """A variable that JAX reads at import; a flag that only acts inside the compiler, and one that does not."""
    scheduler, memory = "--xla_tpu_enable_latency_hiding_scheduler", "--xla_tpu_scoped_vmem_limit_kib"
    code, report, _ = prove(
        folders,
        python,
        "settings.py",
        "--data=x",
        level="all",
        variables=(
            "JAX_DEFAULT_MATMUL_PRECISION=highest",
            "UNUSED=1",
            f"LIBTPU_INIT_ARGS={scheduler}=false {memory}=16384",
        ),
    )
    settings = by_key(report)
    assert settings["JAX_DEFAULT_MATMUL_PRECISION"]["verdict"] == "live"
    assert settings["UNUSED"]["verdict"] == "no-effect"
    assert settings[scheduler]["verdict"] == "live"
    assert settings[memory]["verdict"] == "no-effect"
    assert settings[memory]["kind"] == "flag"
    assert code == 1  # a compiler flag that does nothing


@pytest.mark.toolchain
def test_an_interrupt_ends_everything(python: Path, folders: dict[str, str]) -> None:
    """Ctrl-C between two runs: exit code 130, a report that says so, no process left."""
    command = [str(python), str(PROGRAMS / "settings.py"), "--data=x", "--layers", "2", "--lr", "1"]
    options = ["--slice", "v6e:2x2", "--yes", "--output-format", "json", "--prove", "--"]
    process = subprocess.Popen(
        [*tpuguru("rehearse"), *options, *command],
        env=os.environ | folders,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    next(line for line in process.stderr if "running it again" in line)
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(output)["interrupted"]
    assert alive(str(PROGRAMS / "settings.py")) == []
    assert alive("fork_server.py") == []


@pytest.mark.toolchain
def test_torch_settings(folders: dict[str, str]) -> None:
    """A TorchTPU script: forked as well, whole steps of eager operations are compared."""
    named = os.environ.get("TPUGURU_TEST_TORCH_PYTHON", "")
    if not named:
        pytest.skip("TPUGURU_TEST_TORCH_PYTHON names no Python with torch_tpu")
    _, report, _ = prove(
        folders, Path(named), "torch_settings.py", "--layers", "2", "--run-name", "a", "--gelu"
    )
    verdicts = {key: setting["verdict"] for key, setting in by_key(report).items()}
    assert verdicts == {"--layers": "live", "--run-name": "no-effect", "--gelu": "live"}
    assert report["forked"] >= 3


@pytest.mark.parametrize("words", [("--budget", "0"), ("--env", "NOT SET"), ("--prove", "most")])
def test_wrong_options_run_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    """A wrong bound, variable or level is one sentence, and nothing was started."""
    trace = tmp_path / "trace"
    done = subprocess.run(
        [*tpuguru("rehearse"), "--slice", "v6e:2x2", "--yes", *words, "--", "touch", str(trace)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert not trace.exists()

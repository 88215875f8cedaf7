"""What reaches a worker from a paste, and what does not."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.aot import toy

from tpuguru.aot.environment import kept_flags, notes, passes, worker_environment
from tpuguru.aot.job import CompilerFlags


@pytest.mark.parametrize("name", ["M_PER_DEVICE_BATCH_SIZE", "JAX_ENABLE_X64"])
def test_settings_of_the_framework_pass(name: str) -> None:
    """Variables that set a key or a numeric mode of JAX are part of the program."""
    assert passes(name)


@pytest.mark.parametrize(
    "name",
    [
        "LD_PRELOAD", "PYTHONPATH", "PYTHONSTARTUP", "TPU_LIBRARY_PATH", "PJRT_NAMES_AND_LIBRARY_PATHS", "PATH", "HOME",
        "JAX_PLATFORMS", "JAX_COMPILATION_CACHE_DIR", "HF_TOKEN", "AWS_SECRET_ACCESS_KEY", "XLA_FLAGS", "M_x y",
    ],
)  # fmt: skip
def test_what_could_load_code_or_hold_a_secret_stays_out(name: str) -> None:
    """A paste cannot name a library, a module or a place, and no secret is passed on."""
    assert not passes(name)
    job = replace(toy.job(), environment=((name, "/evil"),))
    assert "/evil" not in worker_environment(job, Path("/run")).values()
    assert name in notes(job)[0]


def test_the_shell_of_the_user_does_not_reach_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """The environment is built from nothing."""
    monkeypatch.setenv("SECRET_OF_MINE", "x")
    assert "SECRET_OF_MINE" not in worker_environment(toy.job(), Path("/run"))


def test_flags_of_the_launch_are_set_before_libtpu_loads() -> None:
    """Both doors for flags are open, and flags that name files are shut out and said so."""
    flags = CompilerFlags(
        ("--xla_tpu_a=1", "--xla_jf_dump_to=/etc", "--flagfile=/etc/x"), ("--xla_dump_to=/x", "--xla_b")
    )
    job = replace(toy.job(), flags=flags)
    environment = worker_environment(job, Path("/run"))
    assert environment["LIBTPU_INIT_ARGS"] == "--xla_tpu_a=1"
    assert environment["XLA_FLAGS"] == "--xla_b"
    assert "--flagfile" in notes(job)[0]
    assert kept_flags(["--xla_dump_hlo_as_text", "--xla_tpu_dumper=1"]) == ["--xla_tpu_dumper=1"]


def test_the_compile_only_client_finds_no_hardware_and_asks_nobody() -> None:
    """Without these libtpu waits for a metadata server, or two runs abort each other."""
    environment = worker_environment(toy.job(), Path("/run"))
    assert environment["TPU_SKIP_MDS_QUERY"] == environment["ALLOW_MULTIPLE_LIBTPU_LOAD"] == "1"
    assert environment["JAX_PLATFORMS"] == "cpu"

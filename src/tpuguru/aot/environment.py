"""A worker's environment, built from nothing: no secret of the shell, no surprise from a paste."""

import re
from collections.abc import Iterable
from pathlib import Path

from tpuguru.aot.job import AotJob

# Variables of a launch that change the program. All others stay out: several name libraries to load
# (TPU_LIBRARY_PATH, PJRT_NAMES_AND_LIBRARY_PATHS, LD_PRELOAD, PYTHONPATH), and a paste is never executed.
_PASSED = re.compile(
    r"M_[A-Z0-9_]+|JAX_(?:ENABLE_X64|DEFAULT_MATMUL_PRECISION|DEFAULT_PRNG_IMPL|THREEFRY_PARTITIONABLE"
    r"|USE_SHARDY_PARTITIONER|NUMPY_RANK_PROMOTION|NUMPY_DTYPE_PROMOTION|SOFTMAX_CUSTOM_JVP|CPU_ENABLE_ASYNC_DISPATCH)"
)
# Flags that write or read files of the user's; the run dumps to its own folder.
_FILE_FLAGS = re.compile(
    r"--(?:xla_(?:\w+_)?dump(?:_\w*)?|xla_\w+_(?:dir|path|file)|flagfile|fromenv|tryfromenv)(?:=|$)"
)


def worker_environment(job: AotJob, folder: Path) -> dict[str, str]:
    """Return the variables of the worker of ``job`` that works in ``folder``."""
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "HOME": str(folder / "work" / "home"),
        "TMPDIR": str(folder / "work" / "tmp"),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",  # the order of sets must not decide a program's hash
        "PYTHONUNBUFFERED": "1",
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        **{key: value for key, value in job.environment if passes(key)},
        "JAX_PLATFORMS": "cpu",  # no local TPU is looked for; the compile-only client loads libtpu itself
        "TPU_SKIP_MDS_QUERY": "1",  # else libtpu asks a metadata server that is not there, for minutes
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",  # else two runs at once abort on libtpu's lock file
        "LIBTPU_INIT_ARGS": " ".join([*kept_flags(job.flags.libtpu_init_args), *_llo_flags(job, folder)]),
    }
    if flags := kept_flags(job.flags.xla_flags):
        environment["XLA_FLAGS"] = " ".join(flags)
    return environment


def _llo_flags(job: AotJob, folder: Path) -> list[str]:
    """Return the flags for low-level dumps.

    Unlike those of HLO they are no compile options, but libtpu's own.

    Only the last pass of each program is kept: all passes of a two-layer toy take 280 MiB and five times as
    long.
    """
    if not job.dump.llo:
        return []
    return [f"--xla_jf_dump_to={folder / 'llo'}", "--xla_jf_dump_llo_pass_label_regex=.*final.*"]


def passes(name: str) -> bool:
    """Tell whether a variable of the launch reaches the framework."""
    return _PASSED.fullmatch(name) is not None


def kept_flags(words: Iterable[str]) -> list[str]:
    """Return the flags without those that name files."""
    return [word for word in words if not _FILE_FLAGS.match(word)]


def notes(job: AotJob) -> tuple[str, ...]:
    """Say what was left out of the job's environment and flags."""
    variables = [key for key, _ in job.environment if not passes(key)]
    words = (*job.flags.libtpu_init_args, *job.flags.xla_flags)
    flags = [word.split("=", 1)[0] for word in words if _FILE_FLAGS.match(word)]
    said = []
    if variables:
        said.append(f"environment variables not passed to the compile: {', '.join(variables)}")
    if flags:
        said.append(
            f"flags that name files are left out, the run dumps to its own folder: {', '.join(flags)}"
        )
    return tuple(said)

"""Content hashes: of a question as asked, of one as resolved (the run's id), of one program."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from tpuguru.aot.job import AotJob, CompilerFlags, Target

# Bumped when what a worker writes or how it lowers changes, so that older answers are not taken for new ones.
WORKER_GENERATION = 2

# Resolved keys that say where a run writes and what it is called; they change with the hour and the folder.
_NAMES_AND_PLACES = frozenset(
    {
        "base_output_directory",
        "run_name",
        "checkpoint_dir",
        "metrics_dir",
        "tensorboard_dir",
        "dump_hlo_gcs_dir",
        "dump_jaxpr_gcs_dir",
        "dump_hlo_xla_flags",
        "managed_mldiagnostics_dir",
    }
)


def digest(content: object) -> str:
    """Return the SHA-256 of any JSON-able content, independent of the order of its keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True, default=str).encode()).hexdigest()


def request_hash(job: AotJob, lock_sha256: str) -> str:
    """Return the hash of the question as written; equal ones need not even be resolved."""
    asked = asdict(job)
    for neither in (
        "toolchain",
        "limits",
        "executor",
    ):  # the lock says more than the name; the rest does not answer
        del asked[neither]
    asked["overrides"] = sorted(dict(job.overrides).items())
    return digest([WORKER_GENERATION, lock_sha256, asked])


def run_id(job: AotJob, lock_sha256: str, config: Mapping[str, object]) -> str:
    """Return the run's id: a hash of toolchain lock, resolved settings, target, flags and wishes.

    Two launches that are written differently and mean the same have one id.
    """
    return digest(
        [
            WORKER_GENERATION,
            lock_sha256,
            without_names_and_places(config),
            asdict(job.target),
            _in_force(job.flags),
            sorted(job.environment),
            job.until,
            asdict(job.dump),
        ]
    )[:20]


def without_names_and_places(config: Mapping[str, object]) -> dict[str, object]:
    """Return the settings that mean the same on every day and in every folder."""
    return {key: value for key, value in config.items() if key not in _NAMES_AND_PLACES}


def program_key(job: AotJob, lock_sha256: str, omitted: Iterable[str]) -> str:
    """Return the key of one lowered program: the job with the keys ``omitted`` left out.

    Flags do not enter.
    """
    gone = frozenset(omitted)
    kept = sorted((key, value) for key, value in dict(job.overrides).items() if key not in gone)
    elsewhere = sorted(gone) if job.config_text or job.environment else []
    base = [job.config_name, job.config_text, sorted(job.environment), elsewhere]
    return digest([WORKER_GENERATION, lock_sha256, kept, base, asdict(job.target)])


def _in_force(flags: CompilerFlags) -> list[list[str]]:
    """Return the flags that count: of two for the same name the last wins, and order says nothing else."""
    return [_last_of_each(flags.libtpu_init_args), _last_of_each(flags.xla_flags)]


def _last_of_each(words: Iterable[str]) -> list[str]:
    return sorted({word.split("=", 1)[0]: word for word in words}.values())


def target_data(target: Target) -> dict[str, object]:
    """Return the target as a worker's request holds it."""
    return {
        "name": target.topology,
        "slices": target.slices,
        "devices_per_slice": target.devices_per_slice,
        "arguments": dict(target.arguments) or None,
    }

"""What a check asks of a toolchain: its version, the framework's own word, a compile, proofs."""

import json
from typing import TYPE_CHECKING

from tpuguru.aot import runs
from tpuguru.aot.events import Event, OnEvent, in_words
from tpuguru.aot.job import AotJob
from tpuguru.aot.record import Failure, RunRecord
from tpuguru.aot.toolchains import find_toolchain
from tpuguru.report.check.options import Prove
from tpuguru.report.check.progress import Say

if TYPE_CHECKING:
    from tpuguru.aot.proofs import DeadSettingProof


def framework_version(specification: str) -> str:
    """Return the framework's version in ``maxtext==0.2.5,jax==…``, or '' when it names none."""
    return specification.split(",", maxsplit=1)[0].partition("==")[2]


def installed(specification: str) -> bool:
    """Tell whether the toolchain can be used at once. UsageError for one that does not exist."""
    return find_toolchain(specification).installed()


def own_refusal(job: AotJob, say: Say) -> Failure | None:
    """Return the framework's refusal of the configuration, or None when it accepts it."""
    say("asking the framework itself about the refusal")
    return resolve_job(job, say).rejection


def resolve_job(job: AotJob, say: Say) -> runs.Resolution:
    """Return what the framework resolves. ToolFailureError when it cannot be asked."""
    return runs.resolve(job, on_event=_listener(say))


def compile_job(job: AotJob, say: Say) -> tuple[bool, RunRecord]:
    """Return whether the answer was in the store, and the run's record."""
    known = runs.known_run(job)
    if known is not None:
        say(f"answered before: run {known.run_id}")
        return True, known
    return False, runs.run(job, on_event=_listener(say))


def resolved_config(record: RunRecord) -> dict[str, object] | None:
    """Return the configuration that the framework resolved for the run, or None when it did not get there."""
    try:
        text = (record.folder / "config" / "resolved.json").read_text(encoding="utf-8")
        config = json.loads(text)["config"]
    except (OSError, ValueError, KeyError):
        return None
    return config if isinstance(config, dict) else None


def prove_settings(job: AotJob, prove: Prove, say: Say) -> tuple["DeadSettingProof", ...]:
    """Return a proof for every written setting."""
    from tpuguru.aot.proofs import ProveLevel  # noqa: PLC0415
    from tpuguru.aot.proofs import prove as prove_job  # noqa: PLC0415

    say("proving which settings change the program")
    return prove_job(job, level=ProveLevel(prove.value), on_event=_listener(say)).proofs


def _listener(say: Say) -> OnEvent:
    def listen(event: Event) -> None:
        words = in_words(event)
        if words:
            say(words)

    return listen

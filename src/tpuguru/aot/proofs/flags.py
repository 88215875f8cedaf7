"""Prove compiler flags: was each accepted, and does it change the optimised program? A compile each."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from tpuguru.aot.events import OnEvent
from tpuguru.aot.job import AotJob, Step
from tpuguru.aot.proofs.model import DeadSettingProof, Verdict
from tpuguru.aot.record import FailureKind, RunRecord

type Compile = Callable[[AotJob], RunRecord]


@dataclass(frozen=True, slots=True)
class _Flag:
    name: str  # with its dashes
    word: str

    @property
    def value(self) -> str:
        return self.word.partition("=")[2] or "true"


def prove_flags(
    job: AotJob, *, on_event: OnEvent, compile_job: Compile | None = None
) -> list[DeadSettingProof]:
    """Return the verdict on each flag of the job. Each question is a run, so that none is compiled twice."""
    from tpuguru.aot.runs import run  # noqa: PLC0415

    do = compile_job or (lambda question: run(question, on_event=on_event))
    job = replace(job, until=Step.COMPILE)
    flags = _flags(job)
    if not flags:
        return []
    base = do(job)
    if base.failure is not None and base.failure.kind is FailureKind.FLAG_REJECTED:
        return [_rejected(flag, base) for flag in flags]
    if not _outcome(base):
        return [_untested(flag, base) for flag in flags]
    return list(_verdicts(job, flags, base, do))


def _flags(job: AotJob) -> list[_Flag]:
    words = (*job.flags.libtpu_init_args, *job.flags.xla_flags)
    return list({word.partition("=")[0]: _Flag(word.partition("=")[0], word) for word in words}.values())


def _verdicts(job: AotJob, flags: list[_Flag], base: RunRecord, do: Compile) -> Iterator[DeadSettingProof]:
    """Leave out all; where the outcome changes, halve, until each change is pinned on one flag."""
    found = do(_without(job, flags))
    if _outcome(found) == _outcome(base):
        yield from (_unchanged(flag, base, found) for flag in flags)
    elif len(flags) == 1:
        yield _changed(flags[0], base, found)
    else:
        middle = len(flags) // 2
        yield from _verdicts(job, flags[:middle], base, do)
        yield from _verdicts(job, flags[middle:], base, do)


def _without(job: AotJob, flags: list[_Flag]) -> AotJob:
    gone = {flag.name for flag in flags}

    def kept(words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word for word in words if word.partition("=")[0] not in gone)

    kept_flags = replace(
        job.flags,
        libtpu_init_args=kept(job.flags.libtpu_init_args),
        xla_flags=kept(job.flags.xla_flags),
    )
    return replace(job, flags=kept_flags)


def _outcome(record: RunRecord) -> str:
    """Return what two compiles are compared by: the optimised program, or the compiler's verdict."""
    if record.failure is None:
        return record.optimized_sha256
    return f"{record.failure.kind}: {record.failure.message}" if record.failure.kind.is_verdict else ""


def accepted(flag: str, base: RunRecord) -> bool | None:
    """Tell whether the compiler lists the flag among those in force; None when it left no list."""
    lists = list((base.folder / "dump").glob("*flagfile")) + list(
        (base.folder / "dump").glob("*tpu_comp_env.txt")
    )
    if not lists:
        return None
    name = re.escape(flag.lstrip("-").removeprefix("no"))
    return any(re.search(rf"\b{name}\b", path.read_text(errors="replace")) for path in lists)


def _proof(flag: _Flag, verdict: Verdict, reason: str, *runs: RunRecord) -> DeadSettingProof:
    hashes = [record.optimized_sha256 for record in runs] + ["", ""]
    return DeadSettingProof(
        flag.name, flag.value, "flag", verdict, hash_with=hashes[0], hash_without=hashes[1], reason=reason
    )


def _unchanged(flag: _Flag, base: RunRecord, found: RunRecord) -> DeadSettingProof:
    if base.failure is not None:
        reason = f"the launch does not compile ({base.failure.kind}), so there is no program to compare"
        return _proof(flag, Verdict.UNTESTED, reason)
    said = {True: "accepted, and", False: "not among the flags in force;", None: ""}[
        accepted(flag.name, base)
    ]
    return _proof(
        flag, Verdict.DEAD, f"{said} the optimised program is the same without it".strip(), base, found
    )


def _changed(flag: _Flag, base: RunRecord, found: RunRecord) -> DeadSettingProof:
    if found.failure is not None and base.failure is None:
        verdict, reason = (
            Verdict.REJECTED_WITHOUT,
            f"without it: {found.failure.kind}: {found.failure.message}",
        )
    else:
        verdict, reason = Verdict.LIVE, ""
    return _proof(flag, verdict, reason, base, found)


def _rejected(flag: _Flag, base: RunRecord) -> DeadSettingProof:
    message = base.failure.message if base.failure else ""
    if flag.name.lstrip("-") in message:
        return _proof(flag, Verdict.DEAD, f"the compiler refuses it: {message}")
    return _proof(flag, Verdict.UNTESTED, f"the compiler refuses another flag: {message}")


def _untested(flag: _Flag, base: RunRecord) -> DeadSettingProof:
    why = base.failure.kind if base.failure else "no optimised program"
    return _proof(flag, Verdict.UNTESTED, f"the launch itself gave no answer: {why}")

"""What a check has found so far."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tpuguru.aot.job import AotJob
from tpuguru.aot.record import RunRecord
from tpuguru.artifacts.model import Extract
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.frameworks.compiling import Compiling
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch, Paste
from tpuguru.report.check.lint import Judge
from tpuguru.report.check.options import CheckOptions
from tpuguru.report.contracts.check import VerdictRecord, WhatIfRecord

if TYPE_CHECKING:
    from tpuguru.aot.proofs import DeadSettingProof


@dataclass(slots=True)
class Work:
    """What a check has found so far; the report is assembled from it."""

    paste: Paste
    launch: Launch
    others: tuple[Launch, ...]
    options: CheckOptions
    side: Compiling
    target: Target
    job: AotJob
    filled_in: tuple[str, ...]
    facts: Facts
    judge: Judge
    verdict: VerdictRecord | None = None
    refusals: tuple[Finding, ...] = ()
    findings: tuple[Finding, ...] = ()
    cannot_tell: tuple[tuple[str, tuple[str, ...]], ...] = ()
    record: RunRecord | None = None
    cached: bool = False
    extract: Extract | None = None
    proofs: tuple["DeadSettingProof", ...] = ()
    what_if: tuple[WhatIfRecord, ...] = ()
    skipped: list[tuple[str, str]] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    tool_failed: bool = False

    @property
    def compiled(self) -> bool:
        """Whether the compiler got as far as an optimised program, be it one that does not fit."""
        return self.extract is not None and self.extract.program.stage in ("final", "oom-intermediate")

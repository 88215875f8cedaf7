"""The contract ``findings/v1``: what the rules say about what was pasted.

A report is whole even when the run failed: ``errors`` then says why, and ``findings`` holds what was known.
"""

from typing import Literal

import msgspec

from tpuguru.report.contracts.common import FindingRecord, LocationRecord, NotChecked, ToolRecord

type BaselineState = Literal["new", "unchanged"]
type SuppressionKind = Literal["comment", "configuration"]


class SuppressionRecord(msgspec.Struct, frozen=True):
    """Why a finding does not count: an ignore comment in the paste, or one in the configuration."""

    kind: SuppressionKind
    reason: str
    location: LocationRecord | None = None


class LintFindingRecord(FindingRecord, frozen=True):
    """A finding with what linting adds.

    ``fingerprint`` stays the same when lines move; ``launches`` counts into the report's launches from 0;
    ``explained_by`` quotes the comment that gives a reason for the setting and lowered the severity;
    ``replacement`` is the text that would replace the span at ``location``.
    """

    fingerprint: str = ""
    baseline: BaselineState = "new"
    suppression: SuppressionRecord | None = None
    explained_by: str = ""
    replacement: str = ""
    launches: tuple[int, ...] = ()


class LaunchRecord(msgspec.Struct, frozen=True):
    """A launch that was found in an input. ``variant`` names the branch of a mode switch, if there is one."""

    input: str
    framework: str
    entry_point: str
    variant: str = ""
    accelerator: str = ""
    location: LocationRecord | None = None


class NoteRecord(msgspec.Struct, frozen=True):
    """Something about how an input was read: a missing file, an unresolved word, an assumed branch."""

    kind: str
    message: str
    location: LocationRecord | None = None


class InputRecord(msgspec.Struct, frozen=True):
    """What was pasted, and what it was read as: shell, command, yaml, kubernetes."""

    path: str
    kind: str


class RuleNotChecked(NotChecked, frozen=True):
    """A rule that cannot tell yet: ``what`` is its name, ``stage`` the latest source that it waits for."""

    id: str = ""
    title: str = ""
    facts: tuple[str, ...] = ()
    stage: Literal["said", "compiled", "rehearsed", "observed"] = "said"
    launches: tuple[int, ...] = ()


class ErrorRecord(msgspec.Struct, frozen=True):
    """What stopped the run, or one input of it."""

    message: str
    exit_code: int
    location: LocationRecord | None = None
    help: str = ""


class SummaryRecord(msgspec.Struct, frozen=True):
    """How many findings count, by severity, and how many do not and why."""

    critical: int = 0
    warn: int = 0
    info: int = 0
    suppressed: int = 0
    in_baseline: int = 0
    not_checked: int = 0


class LintReport(msgspec.Struct, frozen=True, kw_only=True):
    """The findings of one run over one or more inputs."""

    schema: Literal["tpuguru/findings/v1"] = "tpuguru/findings/v1"
    tool: ToolRecord
    inputs: tuple[InputRecord, ...] = ()
    launches: tuple[LaunchRecord, ...] = ()
    findings: tuple[LintFindingRecord, ...] = ()
    not_checked: tuple[RuleNotChecked, ...] = ()
    notes: tuple[NoteRecord, ...] = ()
    errors: tuple[ErrorRecord, ...] = ()
    summary: SummaryRecord = SummaryRecord()


CONTRACT = ("findings.v1", LintReport)

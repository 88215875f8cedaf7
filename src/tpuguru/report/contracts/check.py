"""The contract ``check/v1``: what a launch will really do on the slice it names.

Bytes are per device. ``null`` means not known; ``not_checked`` says why.
"""

from typing import Literal

import msgspec

from tpuguru.report.contracts.common import Figure, FindingRecord, LocationRecord, NotChecked, ToolRecord
from tpuguru.report.contracts.rehearsal import RehearsalReport

type Outcome = Literal["rejected", "does_not_fit", "fits", "failed", "not_compiled"]
type Stage = Literal["read", "lint", "resolve", "lower", "compile", "run", "none"]
type SettingStatus = Literal[
    "live", "dead", "default", "redundant", "overridden", "outside_program", "needed", "not_proved"
]


class InputRecord(msgspec.Struct, frozen=True):
    """What was pasted, and which of its launches this report is about."""

    path: str
    kind: str
    framework: str
    entry_point: str
    variant: str = ""
    location: LocationRecord | None = None


class TargetRecord(msgspec.Struct, frozen=True):
    """The slice: its name as written, and what it comes to. ``origin`` says who named it."""

    slice: str
    accelerator: str
    slices: int
    chips: int
    devices: int
    hosts: int
    origin: str
    hbm_per_device: Figure | None = None


class StackRecord(msgspec.Struct, frozen=True):
    """The toolchain that gave the answer; another version may answer differently."""

    toolchain: str
    versions: dict[str, str] = {}


class BufferRecord(msgspec.Struct, frozen=True):
    """A buffer that is live at the memory peak."""

    name: str
    kind: str
    bytes: int
    shape: str
    op_name: str = ""
    source: str = ""
    padding_bytes: int = 0


class VerdictRecord(msgspec.Struct, frozen=True):
    """The answer, in one sentence and in figures."""

    outcome: Outcome
    sentence: str
    stage: Stage
    code: str = ""
    message: str = ""
    need: Figure | None = None
    limit: Figure | None = None
    headroom: Figure | None = None
    exceeded_by: Figure | None = None
    dominated_by: tuple[BufferRecord, ...] = ()


class WhatIfRecord(msgspec.Struct, frozen=True):
    """One change that was tried by compiling again."""

    change: str
    outcome: str
    sentence: str
    need: Figure | None = None
    run_id: str = ""


class SettingRecord(msgspec.Struct, frozen=True):
    """One setting that the user wrote, and whether it changes the program, with the proof."""

    key: str
    value: str
    where: Literal["command", "file", "environment", "flag"]
    status: SettingStatus
    proof: str = ""
    reason: str = ""
    makes_live: str = ""
    location: LocationRecord | None = None


class BatchRecord(msgspec.Struct, frozen=True):
    """Sequences and tokens per optimizer step."""

    loaded: Figure | None = None
    trained: Figure | None = None
    tokens_per_step: Figure | None = None
    sentence: str = ""


class AxisRecord(msgspec.Struct, frozen=True):
    """One mesh axis: devices along it inside a slice and slices along it."""

    axis: str
    ici: int
    dcn: int


class MeshRecord(msgspec.Struct, frozen=True):
    """The mesh: only axes of more than one are listed; keys that name no axis are ``dropped``."""

    axes: tuple[AxisRecord, ...] = ()
    dropped: tuple[str, ...] = ()


class KernelRecord(msgspec.Struct, frozen=True):
    """A hand-written kernel in the compiled program."""

    name: str
    family: str
    instances: int
    executions_per_step: int
    settings: str = ""


class CodePathRecord(msgspec.Struct, frozen=True):
    """Which code was compiled, next to what was asked for."""

    attention: str = ""
    attention_asked: str = ""
    moe: str = ""
    moe_asked: str = ""
    kernels: tuple[KernelRecord, ...] = ()
    dots: str = ""
    remat: str = ""
    host_offload: str = ""
    fallbacks: tuple[str, ...] = ()


class CollectiveRecord(msgspec.Struct, frozen=True):
    """Communication of one kind over one set of mesh axes, per step and device."""

    axes: str
    kind: str
    count: int
    executions_per_step: int
    bytes_per_step: int
    network: str


class MemoryRecord(msgspec.Struct, frozen=True):
    """Memory of one device as the compiler laid it out."""

    argument: Figure | None = None
    temporary: Figure | None = None
    output: Figure | None = None
    alias: Figure | None = None
    generated_code: Figure | None = None
    host: Figure | None = None
    largest: tuple[BufferRecord, ...] = ()


class FlagRecord(msgspec.Struct, frozen=True):
    """A compiler flag: what was asked, and what the compiler's own flag file says."""

    name: str
    requested: str
    in_force: str | None
    status: str


class RunRecordBrief(msgspec.Struct, frozen=True):
    """A compile behind this report; ``tpuguru collect RUN`` shows its files."""

    run_id: str
    state: str
    seconds: float
    cached: bool


class CheckReport(msgspec.Struct, frozen=True, rename={"schema_": "schema"}):
    """The whole report, verdict first."""

    tool: ToolRecord
    input: InputRecord
    verdict: VerdictRecord
    schema_: Literal["check/v1"] = "check/v1"
    target: TargetRecord | None = None
    stack: StackRecord | None = None
    filled_in: tuple[str, ...] = ()
    what_if: tuple[WhatIfRecord, ...] = ()
    settings: tuple[SettingRecord, ...] = ()
    findings: tuple[FindingRecord, ...] = ()
    mesh: MeshRecord | None = None
    batch: BatchRecord | None = None
    code_path: CodePathRecord | None = None
    collectives: tuple[CollectiveRecord, ...] = ()
    memory: MemoryRecord | None = None
    flags: tuple[FlagRecord, ...] = ()
    phases: dict[str, float] = {}
    runs: tuple[RunRecordBrief, ...] = ()
    not_checked: tuple[NotChecked, ...] = ()
    errors: tuple[str, ...] = ()
    rehearsal: RehearsalReport | None = None
    """What the launch did on a virtual slice, when it was rehearsed: the program sections are of its step."""


CONTRACT = ("check.v1", CheckReport)

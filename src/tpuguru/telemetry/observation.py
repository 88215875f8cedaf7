"""What the readers collect from a paste; turned into facts at the end."""

from dataclasses import dataclass, field

from tpuguru.telemetry.series import Series


@dataclass(frozen=True, slots=True)
class Quoted:
    """A setting quoted in the paste: ``--kv-cache-dtype=fp8`` or ``quantization=int8``."""

    key: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with a unit, in base units (FLOP/s, bytes, seconds, tokens/s), and its stated denominator."""

    quantity: str
    value: float
    per: str
    line: int


@dataclass(frozen=True, slots=True)
class MemoryStatement:
    """«used X of Y» for a memory space; bytes."""

    space: str
    used: float
    limit: float
    line: int


@dataclass(slots=True)
class Observation:
    """Everything observed; each list is bounded by its reader."""

    formats: list[str] = field(default_factory=list)
    accelerator_names: list[tuple[str, int]] = field(default_factory=list)
    step_seconds: Series = field(default_factory=Series)
    flop_rate: Series = field(default_factory=Series)
    flop_rate_per: str = ""
    token_rate: Series = field(default_factory=Series)
    loss: Series = field(default_factory=Series)
    grad_norm: Series = field(default_factory=Series)
    mfu: Series = field(default_factory=Series)
    hit_rate: Series = field(default_factory=Series)
    latency_median: float | None = None
    latency_p99: float | None = None
    requests: float | None = None
    compile_lines: list[int] = field(default_factory=list)
    error_codes: list[str] = field(default_factory=list)
    error_status: str = ""
    exception: str = ""
    failing_op: str = ""
    failing_shape: str = ""
    settings: list[Quoted] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    memory: list[MemoryStatement] = field(default_factory=list)
    first_lines: dict[str, int] = field(default_factory=dict)  # what → the line it was first seen on

    def seen(self, what: str, line: int) -> None:
        """Remember the first line of ``what``."""
        self.first_lines.setdefault(what, line)

    def recognised(self, name: str, line: int) -> None:
        """Note a format and where it was first seen."""
        if name not in self.formats:
            self.formats.append(name)
        self.seen(f"format {name}", line)

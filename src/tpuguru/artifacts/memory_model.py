"""Memory figures of a compiled program. All bytes are per device; None is «not known»."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Buffer:
    """A buffer that is live at the peak.

    ``bytes`` is what it occupies, ``logical_bytes`` its elements alone, ``padding_bytes`` the difference that
    tiling costs; ``live_from``/``live_to`` are positions in the schedule.
    """

    name: str
    kind: str  # parameter | temporary | output | constant
    bytes: int
    shape: str
    dtype: str
    dimensions: tuple[int, ...]
    layout: str
    logical_bytes: int
    padding_bytes: int
    op_name: str = ""
    source_file: str = ""
    source_line: int = 0
    parameter_number: int | None = None
    instruction: str = ""
    live_from: int | None = None
    live_to: int | None = None


@dataclass(frozen=True, slots=True)
class MemorySpace:
    """Bytes allocated in one memory space, with the compiler's colour number."""

    space: str
    colour: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ParameterBuffer:
    """An input of the program: its local shape and bytes."""

    name: str
    shape: str
    bytes: int
    parameter_number: int


@dataclass(frozen=True, slots=True)
class Parameters:
    """The program's inputs. ``replicated`` are whole on every device, largest first."""

    count: int = 0
    bytes: int = 0
    dtype_bytes: Mapping[str, int] = field(default_factory=dict)
    replicated: tuple[ParameterBuffer, ...] = ()
    replicated_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Donation:
    """Inputs given up by the caller, and whether an output took their place."""

    donated_bytes: int | None = None
    aliased_parameters: int = 0
    not_aliased: tuple[ParameterBuffer, ...] = ()
    not_aliased_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class TimelinePoint:
    """Live HBM bytes at one position of the schedule, the largest of the positions it stands for."""

    at: int
    bytes: int
    instruction: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Live HBM over the schedule. Loop bodies appear once, at their first iteration."""

    instructions: int
    peak_at: int
    peak_bytes: int
    peak_instruction: str
    points: tuple[TimelinePoint, ...]


@dataclass(frozen=True, slots=True)
class Memory:
    """What the program needs.

    ``fit_bytes`` = argument + temporary + output − alias, the figure to hold against the limit: the
    compiler's peak_memory counts host buffers in, and the memory report's totals count what is never live
    together. ``largest`` are live at the peak; without a buffer assignment there are only ``made``, the
    largest arrays that the program makes at any time.
    """

    argument_bytes: int | None = None
    temporary_bytes: int | None = None
    output_bytes: int | None = None
    alias_bytes: int | None = None
    generated_code_bytes: int | None = None
    host_temporary_bytes: int | None = None
    host_argument_bytes: int | None = None
    host_output_bytes: int | None = None
    fit_bytes: int | None = None
    limit_bytes: int | None = None
    limit_from: str = ""
    headroom_bytes: int | None = None
    figures_from: str = ""
    peak_live_bytes: int | None = None
    fragmentation_bytes: int | None = None
    spaces: tuple[MemorySpace, ...] = ()
    largest: tuple[Buffer, ...] = ()
    made: tuple[Buffer, ...] = ()
    parameters: Parameters = Parameters()
    donation: Donation = Donation()
    timeline: Timeline | None = None

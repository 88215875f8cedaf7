"""What was read from a compile's artifacts; names as in contract extract/v1. Bytes are per device."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tpuguru.artifacts.code_model import CodePath, Collectives
from tpuguru.artifacts.memory_model import Memory


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file that was read: its role, name and size."""

    role: str
    name: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Source:
    """Where the extract comes from."""

    kind: str  # dump | slice | run | text
    path: str
    module: str
    files: tuple[SourceFile, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """The program itself.

    ``fingerprint`` is the SHA-256 of the HLO text without op names and source places; ``stage`` says which
    stage of the compile the HLO is from.
    """

    name: str
    fingerprint: str
    stablehlo_sha256: str | None
    stage: str  # final | oom-intermediate | none
    partitions: int | None
    replicas: int | None
    slices: int
    instructions: int
    computations: int
    mesh: tuple[tuple[str, int], ...] = ()
    mesh_from: str = ""  # given | StableHLO | HLO | ""


@dataclass(frozen=True, slots=True)
class Target:
    """The chip and the device order that the program was compiled for."""

    version: str = ""  # the compiler's name, e.g. TPU_VERSION_GHOSTLITE
    chip: str = ""  # ours, e.g. v6e; "" when the version is not known
    device_assignment: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CompilerError:
    """The compiler's own error; figures are bytes, rounded as the compiler printed them (two decimals)."""

    code: str  # E1000 …, "" for families without a code
    name: str
    status: str
    space: str  # hbm | vmem | smem | sparsecore … | ""
    required_bytes: int | None
    limit_bytes: int | None
    exceeded_bytes: int | None
    kernel: str
    message: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """How the compile ended: compiled | out-of-memory | failed | unknown."""

    status: str
    error: CompilerError | None = None


@dataclass(frozen=True, slots=True)
class FlagCheck:
    """A requested compiler flag against the one in force. ``status``: same | different | absent."""

    name: str
    requested: str
    in_force: str | None
    status: str


@dataclass(frozen=True, slots=True)
class Flags:
    """Compiler flags in force, from the flagfile and tpu_comp_env; None when neither file is there."""

    in_force_count: int | None = None
    requested: tuple[FlagCheck, ...] = ()
    notable: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Phase:
    """A phase of the compile and its wall-clock seconds."""

    name: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that could not be told, and why."""

    what: str
    because: str


@dataclass(frozen=True, slots=True)
class Extract:
    """Everything that the artifacts of one program say."""

    source: Source
    program: Program
    target: Target
    outcome: Outcome
    memory: Memory
    code_path: CodePath
    collectives: Collectives
    flags: Flags
    phases: tuple[Phase, ...] = ()
    missing: tuple[Missing, ...] = ()

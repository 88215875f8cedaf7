"""Contract extract/v1: what the artifacts of one compile say. Figures are per device; null is «not known»."""

import msgspec

from tpuguru import __version__
from tpuguru.artifacts.model import Extract
from tpuguru.report.contracts.common import ToolRecord

SCHEMA = "extract/v1"


class Record(msgspec.Struct, frozen=True):
    """Base of the contract's records."""


class SourceFileRecord(Record, frozen=True):
    """A file that was read."""

    role: str
    name: str
    bytes: int


class SourceRecord(Record, frozen=True):
    """Where the extract comes from; ``kind`` is dump, run, slice or text."""

    kind: str
    path: str
    module: str
    files: tuple[SourceFileRecord, ...] = ()


class ProgramRecord(Record, frozen=True):
    """The program; ``stage`` is final, oom-intermediate or none."""

    name: str
    fingerprint: str
    stablehlo_sha256: str | None
    stage: str
    partitions: int | None
    replicas: int | None
    slices: int
    instructions: int
    computations: int
    mesh: tuple[tuple[str, int], ...] = ()
    mesh_from: str = ""


class TargetRecord(Record, frozen=True):
    """The chip, and the device that runs each partition."""

    version: str = ""
    chip: str = ""
    device_assignment: tuple[int, ...] = ()


class CompilerErrorRecord(Record, frozen=True):
    """The compiler's own error; bytes are as rounded as the compiler printed them."""

    code: str
    name: str
    status: str
    space: str
    required_bytes: int | None
    limit_bytes: int | None
    exceeded_bytes: int | None
    kernel: str
    message: str


class OutcomeRecord(Record, frozen=True):
    """How the compile ended: compiled, out-of-memory, failed or unknown."""

    status: str
    error: CompilerErrorRecord | None = None


class BufferRecord(Record, frozen=True):
    """A buffer live at the peak; ``kind`` is parameter, temporary, output or constant."""

    name: str
    kind: str
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


class MemorySpaceRecord(Record, frozen=True):
    """Bytes allocated in one memory space."""

    space: str
    colour: int
    bytes: int


class ParameterRecord(Record, frozen=True):
    """An input of the program with its local shape."""

    name: str
    shape: str
    bytes: int
    parameter_number: int


class ParametersRecord(Record, frozen=True):
    """The program's inputs, and those that are whole on every device."""

    count: int = 0
    bytes: int = 0
    dtype_bytes: dict[str, int] = {}
    replicated: tuple[ParameterRecord, ...] = ()
    replicated_bytes: int | None = None


class DonationRecord(Record, frozen=True):
    """Donated inputs, and those that no output took over."""

    donated_bytes: int | None = None
    aliased_parameters: int = 0
    not_aliased: tuple[ParameterRecord, ...] = ()
    not_aliased_bytes: int | None = None


class TimelinePointRecord(Record, frozen=True):
    """Live HBM at one position of the schedule."""

    at: int
    bytes: int
    instruction: str


class TimelineRecord(Record, frozen=True):
    """Live HBM over the schedule, at most 512 points, each the largest of those it stands for."""

    instructions: int
    peak_at: int
    peak_bytes: int
    peak_instruction: str
    points: tuple[TimelinePointRecord, ...]


class MemoryRecord(Record, frozen=True):
    """Memory per device; ``fit_bytes`` = argument + temporary + output − alias."""

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
    spaces: tuple[MemorySpaceRecord, ...] = ()
    largest: tuple[BufferRecord, ...] = ()
    made: tuple[BufferRecord, ...] = ()
    parameters: ParametersRecord = ParametersRecord()
    donation: DonationRecord = DonationRecord()
    timeline: TimelineRecord | None = None


class KernelRecord(Record, frozen=True):
    """A Mosaic kernel; ``family`` is attention, grouped-matmul or other."""

    name: str
    family: str
    instances: int
    executions_per_step: int
    operand_dtypes: tuple[str, ...] = ()
    settings: dict[str, str | int | float | bool] = {}
    op_name: str = ""
    recomputed_instances: int = 0
    flops: int | None = None


class DotRecord(Record, frozen=True):
    """Dots of one type signature."""

    lhs: str
    rhs: str
    out: str
    count: int
    executions: int = 0
    flops: int = 0


class DotsRecord(Record, frozen=True):
    """Matrix products asked for (StableHLO; null: not read) and run."""

    stablehlo: tuple[DotRecord, ...] | None = None
    optimised: tuple[DotRecord, ...] = ()
    flops_per_step: int = 0
    int8_flops_share: float | None = None
    fp8_flops_share: float | None = None


class RematRecord(Record, frozen=True):
    """Recomputation, in FLOPs of dots and of kernels that carry an estimate."""

    recomputed_flops: int = 0
    total_flops: int = 0
    recomputed_share: float | None = None
    recomputed_dots: int = 0
    recomputed_kernels: int = 0
    compiler_clones: int = 0


class CopiedBackRecord(Record, frozen=True):
    """A host buffer copied whole into device memory."""

    shape: str
    bytes: int
    op_name: str


class HostOffloadRecord(Record, frozen=True):
    """Host offload: annotated, kept, copied back; traffic in bytes a step."""

    annotated: int | None = None
    kept_buffers: int = 0
    kept_bytes: int = 0
    copied_back: tuple[CopiedBackRecord, ...] = ()
    copied_back_bytes: int = 0
    device_to_host_bytes_per_step: int = 0
    host_to_device_bytes_per_step: int = 0


class SparseCoreRecord(Record, frozen=True):
    """Work on SparseCores by kind."""

    kind: str
    count: int


class FallbackRecord(Record, frozen=True):
    """A slower path than the one that exists, and what shows it."""

    what: str
    evidence: str


class CodePathRecord(Record, frozen=True):
    """What the program runs."""

    attention: str = "unknown"
    attention_why: str = ""
    moe: str = "unknown"
    moe_why: str = ""
    kernels: tuple[KernelRecord, ...] = ()
    dots: DotsRecord = DotsRecord()
    remat: RematRecord = RematRecord()
    host_offload: HostOffloadRecord = HostOffloadRecord()
    sparsecore: tuple[SparseCoreRecord, ...] = ()
    fallbacks: tuple[FallbackRecord, ...] = ()


class AskedRecord(Record, frozen=True):
    """Collectives written in the StableHLO."""

    kind: str
    count: int


class CollectiveRecord(Record, frozen=True):
    """Call sites of one collective; ``network`` is ici, dcn, mixed or unknown."""

    kind: str
    asynchronous: bool
    mechanism: str
    call_sites: int
    executions_per_step: int
    bytes: int
    bytes_per_step: int
    dtype: str
    axes: tuple[str, ...]
    axes_text: str
    group_size: int
    groups: int
    groups_spelling: str
    network: str
    from_partitioner: bool
    on_sparsecore: bool
    op_name: str


class AxisTrafficRecord(Record, frozen=True):
    """Traffic of one kind of collective over one set of mesh axes."""

    axes: tuple[str, ...]
    kind: str
    network: str
    call_sites: int
    executions_per_step: int
    bytes_per_step: int
    asynchronous_bytes_per_step: int


class CollectivesRecord(Record, frozen=True):
    """Collectives asked for (null: no StableHLO) and run."""

    asked: tuple[AskedRecord, ...] | None = None
    run: tuple[CollectiveRecord, ...] = ()
    by_axis: tuple[AxisTrafficRecord, ...] = ()
    bytes_per_step: int = 0


class FlagCheckRecord(Record, frozen=True):
    """A requested flag against the one in force: same, different or absent."""

    name: str
    requested: str
    in_force: str | None
    status: str


class FlagsRecord(Record, frozen=True):
    """Compiler flags in force; ``notable`` are those that differ from the compiler's defaults."""

    in_force_count: int | None = None
    requested: tuple[FlagCheckRecord, ...] = ()
    notable: dict[str, str] = {}


class PhaseRecord(Record, frozen=True):
    """A phase of the compile."""

    name: str
    seconds: float


class MissingRecord(Record, frozen=True):
    """Something that could not be told, and why."""

    what: str
    because: str


class ExtractReport(Record, frozen=True):
    """Everything that the artifacts of one program say."""

    source: SourceRecord
    program: ProgramRecord
    target: TargetRecord
    outcome: OutcomeRecord
    memory: MemoryRecord
    code_path: CodePathRecord
    collectives: CollectivesRecord
    flags: FlagsRecord
    phases: tuple[PhaseRecord, ...] = ()
    missing: tuple[MissingRecord, ...] = ()
    schema: str = SCHEMA
    tool: ToolRecord = ToolRecord("tpuguru", __version__)


def to_contract(extract: Extract) -> ExtractReport:
    """Return the extract as the contract's model."""
    return msgspec.convert(extract, ExtractReport, from_attributes=True)


def to_json(report: ExtractReport, *, indent: int = 2) -> bytes:
    """Return the report as JSON text."""
    return msgspec.json.format(msgspec.json.encode(report), indent=indent)


def from_json(text: bytes) -> ExtractReport:
    """Read a report back; msgspec.ValidationError says which field is wrong."""
    return msgspec.json.decode(text, type=ExtractReport)


CONTRACT = ("extract.v1", ExtractReport)

"""The code path that was compiled, and the collectives it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

type SettingValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Kernel:
    """A Mosaic (Pallas) kernel.

    ``instances`` counts call sites, ``executions_per_step`` includes loop trips; ``settings`` are the
    effective ones from kernel_metadata (block sizes, tilings); ``flops`` is the kernel's own estimate for one
    execution.
    """

    name: str
    family: str  # attention | grouped-matmul | other
    instances: int
    executions_per_step: int
    operand_dtypes: tuple[str, ...] = ()
    settings: Mapping[str, SettingValue] = field(default_factory=dict)
    op_name: str = ""
    recomputed_instances: int = 0
    flops: int | None = None


@dataclass(frozen=True, slots=True)
class DotKind:
    """Dots of one type signature; figures are per device and step, loop trips included."""

    lhs: str
    rhs: str
    out: str
    count: int
    executions: int = 0
    flops: int = 0


@dataclass(frozen=True, slots=True)
class Dots:
    """The dtype census of matrix products: asked for (StableHLO) and run (optimised HLO)."""

    stablehlo: tuple[DotKind, ...] | None = None
    optimised: tuple[DotKind, ...] = ()
    flops_per_step: int = 0
    int8_flops_share: float | None = None
    fp8_flops_share: float | None = None


@dataclass(frozen=True, slots=True)
class Remat:
    """Recomputation: dots under ``rematted_computation``, and instructions the compiler itself cloned.

    Shares are of dot FLOPs with loop trips; kernels count by their own estimate where they carry one.
    """

    recomputed_flops: int = 0
    total_flops: int = 0
    recomputed_share: float | None = None
    recomputed_dots: int = 0
    recomputed_kernels: int = 0
    compiler_clones: int = 0


@dataclass(frozen=True, slots=True)
class CopiedBack:
    """A host buffer that is copied whole into device memory: the offload does not save what it seems to."""

    shape: str
    bytes: int
    op_name: str


@dataclass(frozen=True, slots=True)
class HostOffload:
    """Host offload: annotated in the program, kept in host memory, copied back whole."""

    annotated: int | None = None
    kept_buffers: int = 0
    kept_bytes: int = 0
    copied_back: tuple[CopiedBack, ...] = ()
    copied_back_bytes: int = 0
    device_to_host_bytes_per_step: int = 0
    host_to_device_bytes_per_step: int = 0


@dataclass(frozen=True, slots=True)
class SparseCoreWork:
    """Work moved to SparseCores, by kind."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Fallback:
    """A slower path than the one that exists for this, and what shows it."""

    what: str
    evidence: str


@dataclass(frozen=True, slots=True)
class CodePath:
    """What the program runs: kernels, attention, MoE, dots, recomputation, offload, fallbacks."""

    attention: str = "unknown"
    attention_why: str = ""
    moe: str = "unknown"
    moe_why: str = ""
    kernels: tuple[Kernel, ...] = ()
    dots: Dots = Dots()
    remat: Remat = Remat()
    host_offload: HostOffload = HostOffload()
    sparsecore: tuple[SparseCoreWork, ...] = ()
    fallbacks: tuple[Fallback, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """Collectives written in the StableHLO."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class Collective:
    """Call sites of one collective with everything equal but the operand values.

    ``bytes`` is one execution's payload on one device: the larger of operands and results, without padding.
    ``mechanism``: plain | start-done | call-start | custom-call-start | fusion | megascale.
    """

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
    network: str  # ici | dcn | mixed | unknown
    from_partitioner: bool
    on_sparsecore: bool
    op_name: str


@dataclass(frozen=True, slots=True)
class AxisTraffic:
    """Traffic of one kind of collective over one set of axes."""

    axes: tuple[str, ...]
    kind: str
    network: str
    call_sites: int
    executions_per_step: int
    bytes_per_step: int
    asynchronous_bytes_per_step: int


@dataclass(frozen=True, slots=True)
class Collectives:
    """Collectives asked for (None: no StableHLO) and run."""

    asked: tuple[Asked, ...] | None = None
    run: tuple[Collective, ...] = ()
    by_axis: tuple[AxisTraffic, ...] = ()
    bytes_per_step: int = 0

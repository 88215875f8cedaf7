"""What the compiler really built: facts of the stage COMPILED, read from its artifacts."""

from tpuguru.facts.schema import FactType, Field, Stage, Unit


def _field(
    name: str,
    kind: FactType,
    summary: str,
    unit: Unit = Unit.NONE,
    *,
    choices: tuple[str, ...] = (),
    fields: tuple[Field, ...] = (),
) -> Field:
    return Field(f"compiled.{name}", kind, summary, unit, choices, fields, Stage.COMPILED)


def _bytes(name: str, summary: str) -> Field:
    return _field(name, FactType.INTEGER, summary, Unit.BYTES)


def _count(name: str, summary: str) -> Field:
    return _field(name, FactType.INTEGER, summary)


def _share(name: str, summary: str) -> Field:
    return _field(name, FactType.NUMBER, summary, Unit.FRACTION)


_BUFFER = (
    Field("name", FactType.TEXT, "Value in the HLO"),
    Field("kind", FactType.TEXT, "What it is", choices=("parameter", "temporary", "output", "constant")),
    Field("shape", FactType.TEXT, "Shape, e.g. bf16[32,4096]"),
    Field("dtype", FactType.TEXT, "Element type"),
    Field("op_name", FactType.TEXT, "The framework's path of the operation"),
    Field("bytes", FactType.INTEGER, "Bytes occupied", Unit.BYTES),
    Field("padding", FactType.INTEGER, "Bytes lost to tile padding", Unit.BYTES),
)
_KERNEL = (
    Field("name", FactType.TEXT, "Kernel name"),
    Field("family", FactType.TEXT, "Kind of kernel", choices=("attention", "grouped-matmul", "other")),
    Field("instances", FactType.INTEGER, "Call sites"),
    Field("executions", FactType.INTEGER, "Executions a step"),
)
_COLLECTIVE = (
    Field("kind", FactType.TEXT, "all-gather, reduce-scatter, all-to-all, …"),
    Field("axes", FactType.TEXT, "Mesh axes joined with « × », major first"),
    Field("network", FactType.TEXT, "Network", choices=("ici", "dcn", "mixed", "unknown")),
    Field("asynchronous", FactType.BOOLEAN, "Whether it can overlap with compute"),
    Field("executions", FactType.INTEGER, "Executions a step"),
    Field("bytes", FactType.INTEGER, "Bytes a step on one device", Unit.BYTES),
)

FIELDS = (
    _field("program", FactType.TEXT, "Name of the compiled program"),
    _field("fingerprint", FactType.TEXT, "SHA-256 of the HLO without op names and source places"),
    _field(
        "outcome",
        FactType.TEXT,
        "How the compile ended",
        choices=("compiled", "out-of-memory", "failed", "unknown"),
    ),
    _field("error_code", FactType.TEXT, "The compiler's error code, e.g. E1000; empty without error"),
    _field(
        "error_space", FactType.TEXT, "Memory space that ran out: hbm, vmem, smem, …; empty without error"
    ),
    _field("partitions", FactType.INTEGER, "Partitions of the program", Unit.DEVICES),
    _field("chip", FactType.TEXT, "Chip compiled for"),
    _bytes("memory.argument", "Inputs, per device"),
    _bytes("memory.temporary", "Temporaries, per device"),
    _bytes("memory.output", "Outputs, per device"),
    _bytes("memory.alias", "Outputs that take over an input's memory, per device"),
    _bytes("memory.generated_code", "Generated code, per device"),
    _bytes("memory.host_temporary", "Temporaries in host memory, per device"),
    _bytes("memory.host_argument", "Inputs in host memory, per device"),
    _bytes("memory.fit", "HBM needed: argument + temporary + output - alias, per device"),
    _bytes("memory.limit", "HBM available, per device"),
    _bytes("memory.headroom", "limit - fit; negative when it does not fit"),
    _bytes("memory.exceeded", "By how much the memory space that ran out was exceeded"),
    _bytes("memory.peak_live", "Live HBM at the peak of the schedule"),
    _bytes("memory.largest_buffer", "The biggest buffer at the peak"),
    _bytes("memory.parameters", "All inputs, per device"),
    _bytes("memory.replicated_parameters", "Inputs that are whole on every device"),
    _bytes("memory.largest_replicated_parameter", "The biggest input that is whole on every device"),
    _bytes("memory.not_aliased", "Donated inputs that no output took over"),
    _field("memory.largest", FactType.RECORDS, "Buffers live at the peak, biggest first", fields=_BUFFER),
    _field("parameters.dtypes", FactType.TEXTS, "Element types of the inputs, by bytes"),
    _share("parameters.float32_share", "Share of input bytes that are float32"),
    _field(
        "attention",
        FactType.TEXT,
        "Attention that was compiled",
        choices=(
            "splash",
            "tokamax-splash",
            "flash",
            "ragged-paged",
            "paged",
            "cudnn",
            "other-kernel",
            "dot-product",
            "none",
        ),
    ),
    _field("attention.dq_kernel", FactType.BOOLEAN, "Whether the backward pass has a separate dq kernel"),
    _field(
        "attention.recomputed",
        FactType.BOOLEAN,
        "Whether the forward attention kernel runs again in backward",
    ),
    _field(
        "moe",
        FactType.TEXT,
        "Path of the experts that was compiled",
        choices=("none", "megablox", "tokamax-gmm", "ragged-dot", "capacity", "dense"),
    ),
    _field("kernels", FactType.RECORDS, "Mosaic kernels", fields=_KERNEL),
    _field("kernel_names", FactType.TEXTS, "Names of the Mosaic kernels"),
    _count("kernels.attention", "Call sites of attention kernels"),
    _count("kernels.grouped_matmul", "Call sites of grouped-matmul kernels"),
    _field("grouped_matmul.dtypes", FactType.TEXTS, "Operand types of the grouped-matmul kernels"),
    _count("splash.block_q", "Effective block_q of the forward attention kernel"),
    _count("splash.block_kv", "Effective block_kv of the forward attention kernel"),
    _count("splash.block_kv_compute", "Effective block_kv_compute of the forward attention kernel"),
    _count("dots.total", "Dots in the final HLO (call sites)"),
    _count("dots.int8", "Dots with two 8-bit (or 4-bit) integer operands"),
    _count("dots.fp8", "Dots with two fp8 operands"),
    _count("dots.bf16", "Dots with two bf16 operands"),
    _count("dots.f32", "Dots with two f32 operands"),
    _count("dots.asked_int8", "int8 dots in the StableHLO"),
    _count("dots.asked_fp8", "fp8 dots in the StableHLO"),
    _share("dots.int8_flops_share", "Share of dot FLOPs that run in int8"),
    _share("dots.fp8_flops_share", "Share of dot FLOPs that run in fp8"),
    _field("flops", FactType.NUMBER, "FLOPs of dots, per device and step", Unit.FLOPS),
    _share("remat.recomputed_share", "Share of FLOPs that is recomputation"),
    _count("remat.recomputed_dots", "Dots that are recomputation (call sites)"),
    _count("remat.recomputed_kernels", "Kernels that are recomputation (call sites)"),
    _count("remat.compiler_clones", "Instructions the compiler recomputes on its own"),
    _count("offload.annotated", "Tensors that the program annotates for host memory"),
    _bytes("offload.kept", "Bytes that stay in host memory"),
    _bytes("offload.copied_back", "Bytes of offloaded stacks copied back to the device whole"),
    _field("offload.active", FactType.BOOLEAN, "Whether any buffer is in host memory"),
    _field("collectives", FactType.RECORDS, "Collectives by kind, axes and network", fields=_COLLECTIVE),
    _field("collectives.kinds", FactType.TEXTS, "Kinds of collectives that run"),
    _field("collectives.axes", FactType.TEXTS, "Mesh axes that any collective runs over"),
    _count("collectives.all_to_all", "Executions of all-to-all and ragged-all-to-all a step"),
    _count("collectives.expert", "Executions of collectives over an axis named expert"),
    _count("collectives.expert_all_to_all", "Executions of (ragged) all-to-all over an axis named expert"),
    _bytes("collectives.bytes", "Bytes of all collectives, per device and step"),
    _bytes("collectives.dcn", "Bytes of collectives between slices, per device and step"),
    _bytes("collectives.synchronous_bytes", "Bytes of collectives that cannot overlap"),
    _count("sparsecore.collectives", "Collectives on SparseCores (call sites)"),
    _field("flags.absent", FactType.TEXTS, "Requested flags that the compiler does not have"),
    _field("flags.different", FactType.TEXTS, "Requested flags in force with another value"),
    _count("flags.names_checked", "Requested flags compared with those in force"),
    _field("fallbacks", FactType.TEXTS, "Slower paths taken than the ones that exist"),
)

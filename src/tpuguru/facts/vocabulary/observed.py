"""OBSERVED facts: what a log, error, profile, benchmark output or report says happened."""

from tpuguru.facts.schema import FactType, Field, Stage, Unit

OBSERVED = Stage.OBSERVED


def _number(name: str, summary: str, unit: Unit = Unit.NONE) -> Field:
    return Field(f"observed.{name}", FactType.NUMBER, summary, unit, stage=OBSERVED)


def _text(name: str, summary: str, *choices: str) -> Field:
    return Field(f"observed.{name}", FactType.TEXT, summary, choices=choices, stage=OBSERVED)


def _texts(name: str, summary: str) -> Field:
    return Field(f"observed.{name}", FactType.TEXTS, summary, stage=OBSERVED)


_SETTING = (
    Field("key", FactType.TEXT, "Name with dashes as underscores, without leading dashes"),
    Field("value", FactType.TEXT, "Value as written; empty for a bare flag"),
    Field("number", FactType.NUMBER, "Value as a number; unknown when it is not one"),
    Field("line", FactType.INTEGER, "Line of the paste"),
)

_FIGURE = (
    Field(
        "quantity", FactType.TEXT, "What is counted", choices=("flop_rate", "bytes", "seconds", "token_rate")
    ),
    Field("value", FactType.NUMBER, "In base units: FLOP/s, bytes, seconds, tokens/s"),
    Field("per", FactType.TEXT, "Stated denominator: device, chip, gpu, core, or empty"),
    Field("line", FactType.INTEGER, "Line of the paste"),
)

_ACCELERATOR = (
    Field("name", FactType.TEXT, "Chip name as in our hardware data"),
    Field("hbm", FactType.NUMBER, "HBM of one device", Unit.BYTES),
    Field("peak_flops", FactType.NUMBER, "Dense bf16 peak of one device", Unit.FLOPS_PER_SECOND),
    Field("line", FactType.INTEGER, "Line of the paste"),
)

_MEMORY = (
    Field("space", FactType.TEXT, "Memory space: hbm, vmem, smem, sparsecore, host"),
    Field("used", FactType.NUMBER, "Bytes used or asked for", Unit.BYTES),
    Field("limit", FactType.NUMBER, "Bytes available", Unit.BYTES),
    Field("line", FactType.INTEGER, "Line of the paste"),
)

FIELDS = (
    _text(
        "text",
        "The lines of the paste that carry meaning: all of a short paste, the telling ones of a long log",
    ),
    _texts("formats", "Formats recognised: maxtext, megatron, vllm, sglang, xla, ray, orbax, nccl, …"),
    _text("accelerator", "Chip or GPU named in the paste, as in our hardware data"),
    _number("peak_flops", "Dense bf16 peak of one device of that accelerator", Unit.FLOPS_PER_SECOND),
    _number("peak_flops_per_chip", "Dense bf16 peak of one chip of that accelerator", Unit.FLOPS_PER_SECOND),
    _number("hbm_per_device", "HBM of one device of that accelerator", Unit.BYTES),
    Field(
        "observed.settings", FactType.RECORDS, "Settings quoted in the paste", fields=_SETTING, stage=OBSERVED
    ),
    Field(
        "observed.figures",
        FactType.RECORDS,
        "Numbers with a unit in the paste",
        fields=_FIGURE,
        stage=OBSERVED,
    ),
    Field(
        "observed.accelerators",
        FactType.RECORDS,
        "Every chip or GPU named",
        fields=_ACCELERATOR,
        stage=OBSERVED,
    ),
    Field("observed.numbers", FactType.NUMBERS, "Every plain number in a short paste", stage=OBSERVED),
    Field("observed.memory", FactType.RECORDS, "Used-of-limit statements", fields=_MEMORY, stage=OBSERVED),
    _number("steps", "Training steps logged"),
    _number("step_seconds", "Median step time, the first step left out", Unit.SECONDS),
    _number("step_seconds_first", "Time of the first logged step", Unit.SECONDS),
    _number("step_seconds_worst", "Slowest step after the first", Unit.SECONDS),
    _number("flop_rate", "Median model FLOP/s per logged denominator", Unit.FLOPS_PER_SECOND),
    _text("flop_rate_per", "Denominator of the logged FLOP/s", "device", "chip", "gpu", "core", ""),
    _number("flop_rate_highest", "Highest FLOP/s stated anywhere in the paste", Unit.FLOPS_PER_SECOND),
    _number("mfu", "Model FLOP utilisation stated", Unit.FRACTION),
    _number("token_rate", "Median tokens/s as logged", Unit.TOKENS_PER_SECOND),
    _number("loss_first", "First loss logged"),
    _number("loss_last", "Last loss logged"),
    Field("observed.loss_zero_steps", FactType.INTEGER, "Steps whose loss is exactly 0", stage=OBSERVED),
    Field(
        "observed.loss_not_finite_steps",
        FactType.INTEGER,
        "Steps whose loss is NaN or infinite",
        stage=OBSERVED,
    ),
    _number("grad_norm_first", "First gradient norm logged"),
    _number("grad_norm_last", "Last gradient norm logged"),
    Field(
        "observed.compiles_after_start",
        FactType.INTEGER,
        "Compilations logged after the first step",
        stage=OBSERVED,
    ),
    _texts("error_codes", "XLA error codes (E1000, …)"),
    _text("error_status", "Status word of the first error: RESOURCE_EXHAUSTED, INVALID_ARGUMENT, …"),
    _text("exception", "Type of the last exception of a Python traceback"),
    _text("failing_op", "Operation the compiler or runtime blames"),
    _text("failing_shape", "Shape it names"),
    _number("prefix_cache_hit_rate", "Highest prefix-cache hit rate logged", Unit.FRACTION),
    _number("latency_median", "Median of the request latency or TTFT stated", Unit.SECONDS),
    _number("latency_p99", "99th percentile of the same", Unit.SECONDS),
    _number("requests", "Requests in the benchmark's window"),
)

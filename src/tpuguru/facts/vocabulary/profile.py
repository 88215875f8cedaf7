"""Facts of an XProf profile: where a step's time went."""

from tpuguru.facts.schema import FactType, Field, Stage, Unit

OBSERVED = Stage.OBSERVED


def _share(name: str, summary: str) -> Field:
    return Field(f"profile.{name}", FactType.NUMBER, summary, Unit.FRACTION, stage=OBSERVED)


_OP = (
    Field("name", FactType.TEXT, "HLO operation"),
    Field("category", FactType.TEXT, "XProf's category: convolution fusion, all-gather, custom-call, …"),
    Field("share", FactType.NUMBER, "Share of the total self time, 0..1"),
    Field("flop_rate", FactType.NUMBER, "FLOP/s that XProf credits"),
    Field("bound_by", FactType.TEXT, "What bounds it: Compute, HBM, …"),
    Field("occurrences", FactType.NUMBER, "How often it ran"),
)

FIELDS = (
    Field("profile.hardware", FactType.TEXT, "Device type as the profile names it", stage=OBSERVED),
    Field("profile.steps", FactType.INTEGER, "Steps sampled", stage=OBSERVED),
    Field("profile.step_seconds", FactType.NUMBER, "Average step time", Unit.SECONDS, stage=OBSERVED),
    Field("profile.step_seconds_worst", FactType.NUMBER, "Longest step", Unit.SECONDS, stage=OBSERVED),
    _share("input_share", "Share of the step spent waiting for input"),
    _share("collective_share", "Share of the step in collectives that nothing hides"),
    _share("compile_share", "Share of the sampled time spent compiling"),
    _share("host_share", "Share of the step in which the host computes and the device waits"),
    _share("transfer_share", "Share of the step moving data between host and device"),
    _share("idle_share", "Share of the time in which the device is idle"),
    _share("mxu_utilisation", "MXU utilisation"),
    _share("hbm_utilisation", "HBM bandwidth utilisation"),
    _share("memory_bound_share", "Share of self time in operations bound by memory"),
    Field("profile.operations", FactType.RECORDS, "Most expensive operations", fields=_OP, stage=OBSERVED),
)

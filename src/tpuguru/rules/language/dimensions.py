"""What a number measures. Bytes, seconds, FLOPs are never mixed; two different counts never compared."""

from typing import NamedTuple

from tpuguru.base.units import GiB, KiB, MiB, TiB, format_bytes
from tpuguru.facts.schema import Unit


class Dimension(NamedTuple):
    """Exponents of the measured quantities, and what is counted (chips, devices, tokens …) if anything is."""

    bytes: int = 0
    seconds: int = 0
    flops: int = 0
    counted: str = ""

    @property
    def measured(self) -> bool:
        """Whether it is a measured quantity, so that a plain number cannot stand for it."""
        return bool(self.bytes or self.seconds or self.flops)

    def __str__(self) -> str:
        over = [*_words("bytes", self.bytes), *_words("FLOP", self.flops), *_words("s", self.seconds)]
        under = [*_words("bytes", -self.bytes), *_words("FLOP", -self.flops), *_words("s", -self.seconds)]
        if self.counted:
            over.insert(0, self.counted)
        if not over and not under:
            return "a plain number"
        return "/".join(["·".join(over) or "1", *under])


def _words(name: str, exponent: int) -> list[str]:
    return [name] * max(exponent, 0)


PLAIN = Dimension()
BYTES = Dimension(bytes=1)
SECONDS = Dimension(seconds=1)
FLOPS = Dimension(flops=1)

_OF_UNIT = {
    Unit.NONE: PLAIN,
    Unit.FRACTION: PLAIN,
    Unit.BYTES: BYTES,
    Unit.SECONDS: SECONDS,
    Unit.FLOPS: FLOPS,
    Unit.FLOPS_PER_SECOND: Dimension(flops=1, seconds=-1),
    Unit.BYTES_PER_SECOND: Dimension(bytes=1, seconds=-1),
    Unit.TOKENS_PER_SECOND: Dimension(seconds=-1, counted="tokens"),
}

UNIT_NAMES: dict[str, tuple[float, Dimension]] = {
    "KiB": (KiB, BYTES),
    "MiB": (MiB, BYTES),
    "GiB": (GiB, BYTES),
    "TiB": (TiB, BYTES),
    "microsecond": (1e-6, SECONDS),
    "millisecond": (1e-3, SECONDS),
    "second": (1, SECONDS),
    "minute": (60, SECONDS),
    "hour": (3600, SECONDS),
    "GFLOP": (1e9, FLOPS),
    "TFLOP": (1e12, FLOPS),
    "PFLOP": (1e15, FLOPS),
}
"""Names that stand for one unit of something, e.g. ``96 * GiB`` or ``459 * TFLOP / second``."""


def dimension_of(unit: Unit) -> Dimension:
    """Return what a fact of this unit measures; a unit with no dimension of its own counts its name."""
    return _OF_UNIT.get(unit) or Dimension(counted=unit.value)


def multiplied(left: Dimension, right: Dimension, sign: int) -> Dimension:
    """Return the dimension of a product (``sign`` 1) or a quotient (-1); counts do not survive it."""
    return Dimension(
        left.bytes + sign * right.bytes,
        left.seconds + sign * right.seconds,
        left.flops + sign * right.flops,
    )


def format_quantity(value: float, dimension: Dimension) -> str:
    """Render a number for a reader: bytes as GiB, rates with their unit, counts as the bare number."""
    if dimension == BYTES:
        return format_bytes(value)
    if not dimension.measured:
        return format_number(value)
    if dimension.flops == 1:
        scaled, prefix = _scaled(value)
        return f"{format_number(scaled)} {prefix}FLOP{'/s' if dimension.seconds == -1 else ''}"
    if dimension.bytes == 1 and dimension.seconds == -1:
        return f"{format_bytes(value)}/s"
    unit = "s" if dimension == SECONDS else str(dimension)
    return f"{format_number(value)} {unit}"


def format_number(value: float) -> str:
    """Render a number with at most four significant digits after a whole part that is kept entire."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.0f}"


def _scaled(value: float) -> tuple[float, str]:
    for size, prefix in ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M")):
        if abs(value) >= size:
            return value / size, prefix
    return value, ""

"""Figures in words: the number, where it comes from, how far it holds."""

from tpuguru.base.units import format_bytes
from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.report.contracts.common import Figure

LEVELS_IN_WORDS = (
    "🟢 holds wherever the mechanism does · 🟡 usually holds · 🔴 of this stack and configuration only"
)


def figure_text(figure: Figure) -> str:
    """Return a figure for people: bytes in binary units, counts with thousands separators."""
    if figure.unit == "bytes":
        return format_bytes(figure.value)
    return f"{figure.value:,.0f} {figure.unit}"


def source_text(figure: Figure) -> str:
    """Return where a figure comes from and how far it holds."""
    return f"[{figure.origin}] {LEVEL_SIGNS.get(figure.level, '')}"

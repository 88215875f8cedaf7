"""A comparison of two logs for a terminal."""

from collections.abc import Iterator

from tpuguru.telemetry.comparison import Comparison


def render_comparison(comparison: Comparison) -> str:
    """Return the verdict, its reasons, and everything that differs."""
    return "\n".join(_lines(comparison)) + "\n"


def _lines(comparison: Comparison) -> Iterator[str]:
    yield f"The claim {comparison.standing}."
    if comparison.ratio is not None and comparison.noise is not None:
        yield (
            f"Medians of {comparison.quantity}: {100 * (comparison.ratio - 1):+.1f} % after against before "
            f"(spread of the values {100 * comparison.noise:.1f} %)."
        )
    for reason in comparison.reasons:
        yield f"- {reason}"
    if comparison.changes:
        yield ""
        yield "What differs:"
        for change in comparison.changes:
            yield f"- {change.what}: {change.before} -> {change.after}"

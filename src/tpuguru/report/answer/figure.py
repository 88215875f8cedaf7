"""A quoted figure against published ones, and a check of the pages, for a terminal."""

from collections.abc import Iterator

from tpuguru.knowledge.baselines import FigureCheck
from tpuguru.knowledge.check import CheckReport


def render_figure(check: FigureCheck) -> str:
    """Return the verdict on a figure, what it was compared with, and what to check next."""
    return "\n".join(_figure_lines(check)) + "\n"


def _figure_lines(check: FigureCheck) -> Iterator[str]:
    per = f" per {check.per}" if check.per else ""
    yield f"{check.value:g} {check.unit}{per}: {check.verdict}"
    if check.peak:
        yield f"  peak {check.peak:g} TFLOP/s{per or ' per chip'}: {100 * (check.share_of_peak or 0):.1f} %"
    for note in check.notes:
        yield f"  note: {note}"
    for baseline in check.compared:
        chips = f"{baseline.chips} chips" if baseline.chips else f"{baseline.devices or '?'} devices"
        yield (
            f"  {baseline.status}: {baseline.value:g} {baseline.unit} per {baseline.per} "
            f"on {baseline.hardware} ({chips}; {baseline.config}), {baseline.date}"
        )
        yield f"    {baseline.source}"


def render_check(report: CheckReport) -> str:
    """Return the problems with their places, the numbers to confirm, and what was checked."""
    return "\n".join(_check_lines(report)) + "\n"


def _check_lines(report: CheckReport) -> Iterator[str]:
    for problem in report.problems:
        yield f"error: {problem.message}"
        yield f"  --> {problem.location}"
    for claim in report.stale:
        yield f"confirm: {claim.id} was last confirmed on {claim.date}, before its page was reviewed"
    yield (
        f"{report.claims} claims on {report.pages} pages, {report.figures} figures: "
        f"{len(report.problems)} problems, {len(report.stale)} numbers to confirm"
    )

"""A throughput figure in a paste, held against what was published for the same model and chip."""

import re
from collections.abc import Iterator

from tpuguru.base.location import Location
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Category, Finding, Level, Severity, Source, Verdict
from tpuguru.knowledge.base import KnowledgeBase
from tpuguru.knowledge.baselines import FigureCheck, FigureVerdict
from tpuguru.telemetry.observation import Observation

TERA = 1e12
_SEVERITY = {
    FigureVerdict.IMPOSSIBLE: Severity.CRITICAL,
    FigureVerdict.ABOVE: Severity.WARN,
    FigureVerdict.WITHIN: Severity.INFO,
    FigureVerdict.BELOW: Severity.INFO,
}
_ADVICE = {
    FigureVerdict.IMPOSSIBLE: "Suspect skipped work, a wrong denominator, or a window without the work.",
    FigureVerdict.ABOVE: "Suspect skipped work before celebrating: playbook too-good.",
    FigureVerdict.WITHIN: "Quote it with its batch, sequence length, precision and software versions.",
    FigureVerdict.BELOW: "Compare batch, sequence length, flags and versions with that run: playbook slow.",
}


def figure_findings(
    knowledge: KnowledgeBase, facts: Facts, seen: Observation, text: str, path: str
) -> Iterator[Finding]:
    """Yield one finding for a rate that names its denominator, when model and chip are named as well."""
    chip = facts.get("observed.accelerator").value
    model = _model(knowledge, text)
    rate = _rate(seen)
    if not isinstance(chip, str) or model is None or rate is None:
        return
    value, per, line = rate
    check = knowledge.check_figure(model, chip, value / TERA, "TFLOP/s", per=per)
    if check.verdict is not FigureVerdict.NO_BASELINE:
        yield _finding(check, model, chip, Location(path, line))


def _model(knowledge: KnowledgeBase, text: str) -> str | None:
    names = sorted({baseline.model for baseline in knowledge.baselines}, key=len, reverse=True)
    squeezed = re.sub(r"[\s_-]+", "-", text.lower())
    return next((name for name in names if name in squeezed), None)


def _rate(seen: Observation) -> tuple[float, str, int] | None:
    """Return (FLOP/s, denominator, line): the log's median, or the first figure that says what it is per."""
    logged = seen.flop_rate.median(skip_first=True)
    if logged and seen.flop_rate_per in ("device", "chip"):
        return logged, seen.flop_rate_per, seen.first_lines.get("flop_rate", 1)
    for figure in seen.figures:
        if figure.quantity == "flop_rate" and figure.per in ("device", "chip"):
            return figure.value, figure.per, figure.line
    return None


def _finding(check: FigureCheck, model: str, chip: str, location: Location) -> Finding:
    published = "; ".join(
        f"{item.value:g} {item.unit}/{item.per} on {item.hardware} ({item.config}), {item.status}"
        for item in check.compared[:3]
    )
    notes = "".join(f"\n{note}" for note in check.notes[:3])
    return Finding(
        id="R-BASELINE",
        name="figure-against-published",
        title=f"{check.value:g} {check.unit} per {check.per} for {model} on {chip} is {check.verdict}",
        severity=_SEVERITY[check.verdict],
        level=Level.NUMBER,
        category=Category.SILENT_FAILURE,
        verdict=Verdict.APPLIES,
        message=f"Published: {published}.{notes}" if published else "".join(check.notes[:1]),
        fix=_ADVICE[check.verdict],
        location=location,
        sources=tuple(Source(item.id, item.source, item.date) for item in check.compared[:3]),
    )

"""The diagnosis for a terminal: findings first, then what was observed, then where to read on."""

from collections.abc import Iterator

from tpuguru.facts.finding import LEVEL_SIGNS
from tpuguru.report.contracts.common import FindingRecord
from tpuguru.report.contracts.diagnosis import Diagnosis


def render_text(report: Diagnosis) -> str:
    """Return the whole report as plain text."""
    return "\n".join(_lines(report)).rstrip() + "\n"


def _lines(report: Diagnosis) -> Iterator[str]:
    formats = f" ({', '.join(report.input.formats)})" if report.input.formats else ""
    yield f"# diagnosis of {report.input.path}{formats}"
    yield ""
    if not report.findings:
        yield "No rule applies and no known cause resembles this."
        yield ""
    for number, finding in enumerate(report.findings, start=1):
        yield from _finding(number, finding)
    yield from _observed(report)
    yield from _route(report)
    for item in report.not_checked:
        yield f"not checked: {item.what}: {item.because}"


def _finding(number: int, finding: FindingRecord) -> Iterator[str]:
    proved = finding.verdict == "applies"
    mark = finding.severity.upper() if proved else f"possible, {finding.severity} if so"
    heading = f"[{mark}] {LEVEL_SIGNS[finding.level]} {finding.title}"
    yield f"{number}. {heading}  ({finding.name})"
    for label, text in (
        ("why", finding.message),
        ("cost", finding.cost),
        ("fix", finding.fix),
        ("skip when", finding.skip_when),
    ):
        if text:
            first, *rest = text.strip().split("\n")
            yield f"   {label}: {first}"
            yield from (f"     {line}" for line in rest if line.strip())
    for item in finding.evidence[:4]:
        place = f"line {item.location.line}" if item.location else item.origin
        yield f"   seen: {item.fact.removeprefix('observed.')} = {item.value[:160]} ({place})"
    for source in finding.sources[:2]:
        yield f"   source: {source.url} ({source.date})"
    yield ""


def _observed(report: Diagnosis) -> Iterator[str]:
    if report.observed:
        yield "## Observed"
        for item in report.observed:
            place = f"  (line {item.line})" if item.line else ""
            yield f"- {item.fact.removeprefix('observed.')}: {item.value}{place}"
        yield ""


def _route(report: Diagnosis) -> Iterator[str]:
    if report.route:
        pages = f"; pages {', '.join(report.route.pages)}" if report.route.pages else ""
        yield f"Next: playbook {report.route.playbook}{pages}. {report.route.why}".rstrip()

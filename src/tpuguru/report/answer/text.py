"""An answer or a list of claims for a terminal, or as Markdown."""

from collections.abc import Iterable, Iterator
from textwrap import fill

from tpuguru.base.units import format_bytes
from tpuguru.report.answer.phrases import Phrases, phrases
from tpuguru.report.contracts.answer import AnswerReport, ClaimList, QuotedClaim, SliceAnswer

_WIDTH = 100


def render_answer(report: AnswerReport, *, markdown: bool = False) -> str:
    """Return the answer as text or Markdown, framed in the report's language."""
    words = phrases(report.language)
    return _joined(_answer_lines(report, words, markdown=markdown))


def render_claims(report: ClaimList, *, markdown: bool = False) -> str:
    """Return claims as text or Markdown."""
    words = phrases("en")
    return _joined(line for claim in report.claims for line in _claim_lines(claim, words, markdown=markdown))


def _answer_lines(report: AnswerReport, words: Phrases, *, markdown: bool) -> Iterator[str]:
    heading = "## " if markdown else ""
    yield f"{heading}{words.question}: {report.question}"
    yield ""
    if report.slices:
        yield words.slices
        yield from (f"  - {_slice_line(named, words)}" for named in report.slices)
        yield ""
    if report.covered:
        yield words.covered
        yield ""
        for claim in report.claims:
            yield from _claim_lines(claim, words, markdown=markdown)
    else:
        yield words.not_covered
        yield ""
    if report.not_covered:
        yield f"{words.missing}: {', '.join(report.not_covered)}"
    if report.nearest:
        yield words.nearest
        yield from (f"  - {page.id}: {page.title}. {page.summary}" for page in report.nearest)
    yield from _playbook_lines(report, words)


def _slice_line(named: SliceAnswer, words: Phrases) -> str:
    line = words.slice.format(
        text=named.text,
        chips=named.chips,
        chip=named.chip,
        devices=named.devices,
        cores=named.cores,
        hosts=named.hosts,
        memory=format_bytes(named.memory_bytes),
    )
    return line if named.counts == "topology" else f"{line} ({words.counts.format(counts=named.counts)})"


def _playbook_lines(report: AnswerReport, words: Phrases) -> Iterator[str]:
    playbook = report.playbook
    line = f"{words.playbook}: playbooks/{playbook.name}.md"
    if playbook.pages:
        line += f" ({words.pages}: {', '.join(playbook.pages)})"
    yield line
    if playbook.alternatives:
        yield f"  {words.also}: {', '.join(playbook.alternatives)}"


def _claim_lines(claim: QuotedClaim, words: Phrases, *, markdown: bool) -> Iterator[str]:
    mark = words.levels[claim.level].split(maxsplit=1)[0]
    yield f"### {mark} {claim.title}" if markdown else f"{mark} {claim.title}"
    yield f"`{claim.id}`" if markdown else f"   [{claim.id}] {words.levels[claim.level].partition(' ')[2]}"
    if markdown:
        yield ""
    yield from _paragraphs(claim.text, markdown=markdown)
    for name, value in (
        (words.remedy, claim.remedy),
        (words.conditions, claim.conditions),
        (words.measured, claim.measured),
        (words.scope, "; ".join(claim.scope)),
        (words.superseded, claim.superseded_by),
    ):
        if value:
            yield f"- {name}: {value}" if markdown else f"   {name}: {value}"
    for source in claim.sources:
        yield f"{'- ' if markdown else '   '}{words.source}: {source.url} ({source.date})"
    yield ""


def _paragraphs(text: str, *, markdown: bool) -> Iterator[str]:
    for paragraph in text.split("\n\n"):
        joined = " ".join(paragraph.split())
        if markdown:
            yield joined
            yield ""
        else:
            yield fill(joined, _WIDTH, initial_indent="   ", subsequent_indent="   ")


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines).rstrip("\n") + "\n"

"""The report of the perf-doctor, as Markdown. Everything in it comes from a rule or from the reading."""

from collections import Counter
from collections.abc import Iterator, Sequence

from tpuguru.base.redaction import redact
from tpuguru.facts.finding import Category, Finding, Severity, Verdict
from tpuguru.report.doctor.context import context_line
from tpuguru.report.doctor.places import place_text
from tpuguru.report.doctor.plan import Step, plan
from tpuguru.report.lint.run import FoundOnce, JudgedLaunch, LintRun
from tpuguru.rules.catalog import Catalog
from tpuguru.rules.engine import SEVERITY_RANK
from tpuguru.rules.model import Piece

_MEMORY = (Category.MEMORY, Category.LAUNCH)
_NVIDIA = "relax.nvidia"


def doctor_report(run: LintRun, catalog: Catalog) -> str:
    """Return one report for each launch of the run, in order."""
    return (
        "\n\n".join(
            "\n".join(_launch(run, position, judged, catalog)) for position, judged in enumerate(run.launches)
        )
        + "\n"
    )


def _launch(run: LintRun, position: int, judged: JudgedLaunch, catalog: Catalog) -> Iterator[str]:
    found = [one for one in run.findings if position in one.launches]
    shown = sorted(
        (one for one in found if one.counts), key=lambda one: SEVERITY_RANK[one.judged.finding.severity]
    )
    device = judged.facts.get("hw.hbm").value
    steps = plan(
        judged.launch,
        [one.judged for one in shown],
        catalog,
        device if isinstance(device, int) else None,
    )
    name = judged.paste.path.replace("\\", "/").rsplit("/", 1)[-1]
    variant = f" ({judged.launch.variant})" if judged.launch.variant else ""
    yield f"# perf-doctor: {name}{variant}"
    yield ""
    yield redact(context_line(judged.facts))
    for title, memory in (("🚀 Performance findings", False), ("💾 Memory findings", True)):
        yield ""
        yield f"## {title}"
        yield from _section([one for one in shown if _is_memory(one) is memory], judged, steps)
    yield ""
    yield from _summary(shown, found, judged, catalog)


def _is_memory(one: FoundOnce) -> bool:
    return one.judged.finding.category in _MEMORY


def _section(shown: Sequence[FoundOnce], judged: JudgedLaunch, steps: dict[str, Step]) -> Iterator[str]:
    if not shown:
        yield ""
        yield "None."
    for one in shown:
        yield ""
        yield from _finding(one, judged, steps.get(one.judged.finding.name))


def _finding(one: FoundOnce, judged: JudgedLaunch, step: Step | None) -> Iterator[str]:
    finding = one.judged.finding
    yield f"### [{_word(finding)}] {finding.id} — {finding.title}"
    yield f"- **Setting:** {_setting(finding, judged)}"
    if finding.cost:
        yield f"- **Cost:** {_indented(finding.cost)}"
    yield f"- **Fix:** {_fix(finding, step)}"
    if finding.skip_when:
        yield f"- **Skip if:** {_indented(finding.skip_when)}"


def _word(finding: Finding) -> str:
    return "BORDERLINE" if finding.verdict is Verdict.BORDERLINE else finding.severity.value.upper()


def _setting(finding: Finding, judged: JudgedLaunch) -> str:
    place = place_text(finding.location, judged.paste) if finding.location else "not written"
    setting = f"`{finding.setting}` ({place})" if finding.setting else place
    return f"{setting}: {_indented(finding.message)}" if finding.message else setting


def _fix(finding: Finding, step: Step | None) -> str:
    text = _indented(finding.fix)
    if step is None:
        return text
    head = f"(fix {step.number}) " if step.number else ""
    tail = f"\n  *{step.text}*" if step.text else ""
    return f"{head}{text}{tail}"


def _indented(text: str) -> str:
    return text.replace("\n", "\n  ")


def _summary(
    shown: Sequence[FoundOnce], found: Sequence[FoundOnce], judged: JudgedLaunch, catalog: Catalog
) -> Iterator[str]:
    counts = Counter(one.judged.finding.severity for one in shown)
    yield "## Summary"
    yield (
        f"- Critical: {counts[Severity.CRITICAL]} · Warn: {counts[Severity.WARN]} · "
        f"Info: {counts[Severity.INFO]}"
    )
    yield f"- **Top action:** {_top_action(shown)}"
    for one in found:
        if not one.counts:
            yield f"- **Not counted:** {one.judged.finding.id} {one.judged.finding.name}: {_why_not(one)}"
    yield from _unjudged(judged, catalog)
    for note in dict.fromkeys(note.message for note in (*judged.paste.notes, *judged.launch.notes)):
        yield f"- **Read as:** {redact(note)}"


def _top_action(shown: Sequence[FoundOnce]) -> str:
    for one in shown:
        if one.judged.finding.verdict is Verdict.APPLIES and not one.judged.explained_by:
            first = one.judged.finding.fix.split("\n")[0]
            return f"{one.judged.finding.id}: {first}"
    return "nothing to change"


def _why_not(one: FoundOnce) -> str:
    return one.judged.finding.suppressed_by or "it is in the baseline"


def _unjudged(judged: JudgedLaunch, catalog: Catalog) -> Iterator[str]:
    """Yield which rules stay silent on another vendor's hardware, and which could not tell, and why."""
    if judged.facts.get(_NVIDIA).value is False:
        silent = [rule.id for rule in catalog.of_framework("relax") if _is_about_nvidia(rule.unless)]
        kind = judged.facts.get("relax.accelerator").value
        yield f"- **Silent on {kind}:** {', '.join(silent)}: rules about NVIDIA kernels"
    waiting: dict[str, list[str]] = {}
    for outcome in judged.judgement.not_checked:
        if outcome.rule.applies_everywhere:
            continue  # rules of logs and compiled programs: the doctor reads neither
        waiting.setdefault(outcome.needs[0] if outcome.needs else "", []).append(outcome.rule.id)
    grouped: dict[str, list[str]] = {}
    for needs, rules in waiting.items():
        grouped.setdefault(needs.partition(": ")[2] or needs, []).extend(rules)
    for needs, rules in grouped.items():
        yield f"- **Not checked:** {', '.join(sorted(rules))}: needs {redact(needs)}"


def _is_about_nvidia(unless: Piece | None) -> bool:
    return unless is not None and f"not {_NVIDIA}" in unless.text

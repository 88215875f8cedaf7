"""Fixes in a fixed order, each on top of those before it, with the memory budget estimated again after each.

Fixes are not independent: two that fit alone may not fit together. The order comes from the rules.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tpuguru.base.units import GiB
from tpuguru.facts.finding import Finding, Verdict
from tpuguru.frameworks.relax.plan import Edit, changes_anything, edited, peak_of
from tpuguru.launch.model import Launch
from tpuguru.memory.fit import FITS_BELOW
from tpuguru.report.doctor.edits import edits_of
from tpuguru.report.lint.judge import Judged
from tpuguru.rules.catalog import Catalog


@dataclass(frozen=True, slots=True)
class Step:
    """One fix in the plan. ``number`` is 0 when it does not go together with the fixes before it."""

    number: int
    text: str


def plan(
    launch: Launch, judged: Sequence[Judged], catalog: Catalog, device_bytes: int | None
) -> dict[str, Step]:
    """Return the step of each finding by its rule's name.

    Findings without a change that can be applied, borderline ones, and those that the script explains or
    ignores have none. A fix that would leave less than 15 % of the GPU free where it was free is left out.
    """
    steps: dict[str, Step] = {}
    accepted: list[Edit] = []
    peak, number = peak_of(launch), 0
    for finding, edits in _in_order(judged, catalog):
        changed = edited(launch, (*accepted, *edits))
        if not changes_anything(edited(launch, accepted), edits):
            continue
        after = peak_of(changed)
        if _breaks(peak, after, device_bytes):
            steps[finding.name] = Step(0, _refused(number, after, device_bytes))
            continue
        number += 1
        accepted += edits
        steps[finding.name] = Step(number, _applied(number, after, device_bytes))
        peak = after if after is not None else peak
    return steps


def _in_order(judged: Sequence[Judged], catalog: Catalog) -> list[tuple[Finding, tuple[Edit, ...]]]:
    open_ones = [
        one.finding
        for one in judged
        if one.suppression is None
        and not one.explained_by
        and one.finding.verdict is Verdict.APPLIES
        and one.finding.name in catalog
    ]
    open_ones.sort(key=lambda finding: (catalog.rule(finding.name).order, finding.id))
    pairs = [(finding, edits_of(finding.fix)) for finding in open_ones]
    return [(finding, edits) for finding, edits in pairs if edits]


def _breaks(before: int | None, after: int | None, device: int | None) -> bool:
    """Tell whether a change takes a job over 85 % of the GPU, or lets its sizes no longer divide."""
    if before is None or device is None:
        return False
    return after is None or (after > before and after >= FITS_BELOW * device)


def _numbers(last: int) -> str:
    if last == 1:
        return "fix 1"
    return "fix 1 and 2" if last == 2 else f"fix 1 to {last}"


def _applied(number: int, after: int | None, device: int | None) -> str:
    if after is None or device is None:
        return ""
    return f"with {_numbers(number)} applied: {_of(after, device)}"


def _refused(number: int, after: int | None, device: int | None) -> str:
    before = f"on top of {_numbers(number)}" if number else "here"
    if after is None or device is None:
        return f"not {before}: the parallel sizes would no longer divide"
    return f"not {before}: {_of(after, device)}; choose between them"


def _of(used: int, device: int) -> str:
    return f"{used / GiB:.1f} of {device / GiB:.1f} GiB"

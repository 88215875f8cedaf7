"""Find settings that stand in for each other: each may go alone, not both."""

from collections.abc import Iterator

from tpuguru.base.ablation.oracle import Program, ProgramOracle, Refusal, Variation


def redundant_partners(
    oracle: ProgramOracle, base: Program, dead: list[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield each setting of ``dead`` that is not dead in company, with a smallest company found.

    Every setting of ``dead`` can be left out alone. What remains when no more is yielded can be left out
    together, so that acting on all verdicts «dead» at once leaves the program as it is.
    """
    remaining = list(dead)
    while len(remaining) > 1 and not _same(oracle, base, remaining):
        group = _smallest_changing(oracle, base, remaining)
        for key in group:
            yield key, [other for other in group if other != key]
        remaining = [key for key in remaining if key not in group]


def _same(oracle: ProgramOracle, base: Program, keys: list[str]) -> bool:
    return oracle.program(Variation.without(keys), fresh=True) == base


def _smallest_changing(oracle: ProgramOracle, base: Program, keys: list[str]) -> list[str]:
    """Return a subset whose removal changes the program, while removing one setting less does not."""
    group = list(keys)
    for key in keys:
        fewer = [other for other in group if other != key]
        if len(fewer) > 1 and not _unchanged(oracle, base, fewer):
            group = fewer
    return group


def _unchanged(oracle: ProgramOracle, base: Program, keys: list[str]) -> bool:
    found = oracle.program(Variation.without(keys))
    return not isinstance(found, Refusal) and found == base

"""Find the written settings that hide a dead one."""

from tpuguru.base.ablation.oracle import Program, ProgramOracle, Variation


def find_masks(oracle: ProgramOracle, key: str, others: list[str], *, one_by_one: bool = True) -> list[str]:
    """Return one or few of ``others`` without which ``key`` changes the program; empty when there are none.

    Halves the candidates: about 2·log2(n) pairs of lowerings when one setting is to blame. Where leaving out
    all of them shows nothing, each is left out alone, unless ``one_by_one`` is False and each costs too much.
    """
    if not others or not _acts_without(oracle, key, others):
        # Leaving out everything may be refused, or may remove what the key needs; then ask one by one.
        alone = others if one_by_one or _refused(oracle, others) else []
        return next(([other] for other in alone if _acts_without(oracle, key, [other])), [])
    candidates = list(others)
    while len(candidates) > 1:
        middle = len(candidates) // 2
        half = next(
            (part for part in (candidates[:middle], candidates[middle:]) if _acts_without(oracle, key, part)),
            None,
        )
        if half is None:
            return candidates  # only together do they hide it
        candidates = half
    return candidates


def _refused(oracle: ProgramOracle, gone: list[str]) -> bool:
    return not isinstance(oracle.program(Variation.without(gone)), Program)


def _acts_without(oracle: ProgramOracle, key: str, gone: list[str]) -> bool:
    with_key = oracle.program(Variation.without(gone))
    without = oracle.program(Variation.without([*gone, key]))
    return isinstance(with_key, Program) and isinstance(without, Program) and with_key != without

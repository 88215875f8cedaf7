"""Bytes that a collective puts on the wire: a lower bound, whatever algorithm the compiler chose."""

_TWICE = frozenset(("all-reduce",))
_PARTS = frozenset(("all-gather", "reduce-scatter", "all-to-all", "ragged-all-to-all"))


def least_sent(kind: str, payload: int, group: int) -> int:
    """Return the least bytes that each device of a group sends, for a ``payload`` as Collective counts it.

    In a group of n, n-1 parts of n of the larger side must leave each device (all-gather, reduce-scatter,
    all-to-all), an all-reduce is a reduce-scatter and an all-gather, and anything else sends its payload
    once: Patarasuk and Yuan, «Bandwidth optimal all-reduce algorithms for clusters of workstations» (2009).
    A group whose size is not known (0) counts as a large one.
    """
    if kind not in _TWICE | _PARTS:
        return payload
    share = payload * (group - 1) // group if group > 0 else payload
    return 2 * share if kind in _TWICE else share

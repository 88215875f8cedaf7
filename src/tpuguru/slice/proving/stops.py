"""Where a run of a proof may end: nothing that comes later is compared."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from tpuguru.base.errors import UsageError
from tpuguru.slice.proving.trace import Asked, Trace
from tpuguru.slice.records import SAME_STEP
from tpuguru.slice.settings import PREFIX

# From this share of all arithmetic on, one program is what the user's program is about.
_MAIN_SHARE = 0.7
_CLEARLY_LARGER = 4
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Stop:
    """The run ends at a program that is larger than ``size`` bytes of StableHLO, or has this ``name``.

    Else it ends before a program named ``run`` runs, or once the biggest program ran ``settled`` times and
    nothing new came. Zero and empty: not for that reason.
    """

    size: int = 0
    name: str = ""
    run: str = ""
    settled: int = 0

    def environment(self) -> dict[str, str]:
        """Return the plugin's variables."""
        return {
            f"{PREFIX}STOP_BYTES": str(self.size or ""),
            f"{PREFIX}STOP_NAME": self.name,
            f"{PREFIX}STOP_RUN": self.run,
            f"{PREFIX}STOP_SETTLED": str(self.settled or ""),
        }

    def in_words(self) -> str:
        """Say where, for people."""
        at = [f"the program {self.name}" if self.name else "", f"a program of more than {self.size} bytes"]
        named = " or ".join(each for each in at[: 2 if self.size else 1] if each)
        return named or "the end of the first steps"


def main_program(trace: Trace) -> Asked | None:
    """Return the compiled program with the most arithmetic; the largest of equals.

    Those with a product or a kernel come first: a small model's initialisation has more FLOPs than its step.
    """
    compiled = [asked for asked in trace.asked if trace.facts(asked)]
    return max(
        compiled,
        key=lambda asked: (_has_products(trace, asked), _flops(trace, asked), asked.size),
        default=None,
    )


def after_compiling(stop: Stop) -> Stop:
    """Return the stop for a run in which the program at ``stop`` is compiled as well, but not run."""
    return Stop(run=stop.name, settled=stop.settled)


def choose_stop(trace: Trace, settled: int) -> Stop:
    """Return where the other runs may end: at the main program, if one program is what all is about.

    A step that is compiled again for other arguments has one name: the first of them is the end. A program
    that is many small ones (eager PyTorch) is compared whole.
    """
    main = main_program(trace)
    if main is None:
        return Stop(settled=settled)
    same_name = [asked for asked in trace.asked if _name(trace, asked) == _name(trace, main)]
    flops = sum(_flops(trace, asked) for asked in same_name)
    first = same_name[0]
    if flops < _MAIN_SHARE * sum(_flops(trace, asked) for asked in trace.asked) or (
        _flops(trace, first) < SAME_STEP * _flops(trace, main)
    ):
        return Stop(settled=settled)
    before = trace.asked[: trace.asked.index(first)]
    return Stop(_size_between(before, first), _name(trace, first), settled=settled)


def _size_between(before: Sequence[Asked], main: Asked) -> int:
    """Return a size between the programs before the main one and it; 0 when they are too near.

    The bytes hold source locations too, so that a program's size is not quite the same in every run.
    """
    if not before:
        return main.size // 2
    largest = max(asked.size for asked in before)
    return math.isqrt(largest * main.size) if main.size >= _CLEARLY_LARGER * largest else 0


def stop_at(wanted: str, trace: Trace, settled: int) -> Stop:
    """Return the stop that a user asked for. UsageError when the program sends nothing such."""
    if wanted == "end":
        return Stop(settled=settled)
    stop = Stop(size=int(wanted), settled=settled) if wanted.isdigit() else Stop(name=wanted, settled=settled)
    if _place(trace, stop) is None:
        sent = dict.fromkeys(f"{_name(trace, asked)} ({asked.size} bytes)" for asked in trace.asked)
        raise UsageError(
            f"--stop-at {wanted}: the program sends nothing such to the compiler",
            help=f"it sends {', '.join(list(sent)[-_MOST_NAMED:])}",
        )
    return stop


def up_to(trace: Trace, stop: Stop) -> Trace:
    """Return a whole run as if it had been ended at ``stop``."""
    place = _place(trace, stop)
    return trace if place is None else Trace(trace.asked[: place + 1], trace.compiled, trace.stopped)


def _place(trace: Trace, stop: Stop) -> int | None:
    for place, asked in enumerate(trace.asked):
        named = bool(stop.name) and _name(trace, asked) == stop.name
        if named or (stop.size and asked.size > stop.size):
            return place
    return None


def _flops(trace: Trace, asked: Asked) -> float:
    facts = trace.facts(asked)
    return facts.flops if facts else 0.0


def _has_products(trace: Trace, asked: Asked) -> bool:
    facts = trace.facts(asked)
    return facts is not None and facts.products


def _name(trace: Trace, asked: Asked) -> str:
    facts = trace.facts(asked)
    return facts.name if facts else ""

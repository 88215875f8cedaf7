"""Compare what two runs sent to the compiler, and say briefly where they differ."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from tpuguru.base.ablation import Program
from tpuguru.slice.proving.model import ProgramChange
from tpuguru.slice.proving.noise import Noise
from tpuguru.slice.proving.option_words import option_words
from tpuguru.slice.proving.texts import ProgramTexts
from tpuguru.slice.proving.trace import Asked, Trace

_MOST_LINES = 4
_LONGEST_LINE = 160
_VALUE_NAME = re.compile(r"%[\w#:]+")


@dataclass(frozen=True, slots=True)
class Sent:
    """One program of a run, identified: two with the same ``text`` and ``options`` are the same program."""

    name: str
    text: str
    options: str
    asked: Asked

    @property
    def identity(self) -> tuple[str, str]:
        """What it is compared by."""
        return self.text, self.options


class Comparer:
    """Identifies the programs of runs, without what differs from run to run."""

    def __init__(self, texts: ProgramTexts) -> None:
        self._texts = texts
        self.noise = Noise()

    def sent(self, trace: Trace) -> list[Sent]:
        """Return the different programs of a run in order."""
        return [self._sent(trace, asked) for asked in trace.asked]

    def program(self, trace: Trace) -> Program:
        """Return one identity for all programs of a run, whatever their order and number of times."""
        sent = self.sent(trace)
        return Program(_digest(each.text for each in sent), _digest("".join(each.identity) for each in sent))

    def changes(self, base: Trace, other: Trace) -> tuple[ProgramChange, ...]:
        """Return how ``other`` differs; programs are paired by name, in order."""
        with_it, without = self.sent(base), self.sent(other)
        left = _unmatched(with_it, without)
        right = _unmatched(without, with_it)
        return tuple(self._paired(left, right))

    def learn_noise(self, base: Trace, again: Trace) -> bool:
        """Learn from two runs of the same command what differs by itself. False when it cannot be masked."""
        first, second = self.sent(base), self.sent(again)
        left, right = _unmatched(first, second), _unmatched(second, first)
        pairs = list(_pairs(left, right))
        if any(a is None or b is None or a.options != b.options for a, b in pairs):
            return False
        return all(self._learn(a.asked, b.asked) for a, b in pairs if a and b)

    def _learn(self, one: Asked, other: Asked) -> bool:
        return self.noise.learn(self._texts.program(one.program), self._texts.program(other.program))

    def _sent(self, trace: Trace, asked: Asked) -> Sent:
        text = self._texts.program(asked.program)
        facts = trace.facts(asked)
        name = facts.name if facts else text.name
        return Sent(name or asked.program[:12], self.noise.identity(text), asked.options, asked)

    def _paired(self, left: list[Sent], right: list[Sent]) -> Iterator[ProgramChange]:
        for with_it, without in _pairs(left, right):
            if with_it and without:
                yield self._change(with_it, without)
            elif with_it:
                yield ProgramChange(with_it.name, "missing")
            elif without:
                yield ProgramChange(without.name, "new")

    def _change(self, with_it: Sent, without: Sent) -> ProgramChange:
        if with_it.text == without.text:
            before, after = (option_words(self._texts.options(each.options)) for each in (with_it, without))
            return ProgramChange(with_it.name, "options", _difference(before, after))
        lines = [self._texts.program(each.asked.program).lines() for each in (with_it, without)]
        return ProgramChange(with_it.name, "differs", _difference(*lines))


def _unmatched(these: list[Sent], others: list[Sent]) -> list[Sent]:
    known = {each.identity for each in others}
    return [each for each in these if each.identity not in known]


def _pairs(left: list[Sent], right: list[Sent]) -> Iterator[tuple[Sent | None, Sent | None]]:
    for name in dict.fromkeys(each.name for each in (*left, *right)):
        yield from zip_longest(
            (each for each in left if each.name == name), (each for each in right if each.name == name)
        )


def _difference(before: list[str], after: list[str]) -> tuple[str, ...]:
    """Return the most telling lines that only one of two texts has; names of values do not count."""
    gone, come = Counter(map(_anonymous, before)), Counter(map(_anonymous, after))
    pairs = (("-", gone - come), ("+", come - gone))
    found = [
        _short(f"{sign} {line}")
        for sign, lines in pairs
        for line in sorted(lines, key=_says_little)[: _MOST_LINES // 2]
    ]
    return tuple(found) or ("the same lines in another order",)


def _anonymous(line: str) -> str:
    """Return a line without the names of its values: one value more renumbers all that follow."""
    return _VALUE_NAME.sub("%", line.strip())


def _says_little(line: str) -> int:
    """Return a rank: operations come before constants, and what only frames the operations last."""
    if line.startswith(("func.", "module ", "return ", "sdy.mesh")):
        return 2
    return int("stablehlo.constant" in line)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_LINE else text[: _LONGEST_LINE - 1] + "…"


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(sorted(set(words))).encode()).hexdigest()

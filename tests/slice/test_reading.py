"""What a program does with an unknown value decides what it is told: asserts pass, loops end."""

import math
from collections.abc import Callable, Iterator
from types import FunctionType

import pytest

from tpuguru.slice.hooks.reading import describe

PATIENCE = 3


class Unknown:
    """A value that nobody knows, read as the plugin would have it: after a while, what ends the loop."""

    def __init__(self, usual: float) -> None:
        self.usual = usual
        self.asked = 0
        self.said: list[str] = []

    def _answer(self) -> float:
        use, wanted, whole = describe("arrays", "f32").split("\t")[:3]
        self.said.append(use)
        self.asked += 1
        assert self.asked < 50, "the loop never ends"
        if wanted and (use == "assert" or self.asked > PATIENCE):
            return float(wanted)
        return 0.0 if math.isnan(self.usual) and whole == "1" else self.usual

    def __bool__(self) -> bool:
        return bool(self._answer())

    def __float__(self) -> float:
        return self._answer()

    def item(self) -> float:
        return self._answer()

    def all(self) -> "Unknown":
        return self


for method in list(vars(Unknown).values()):
    if isinstance(method, FunctionType):  # a library's, like those of an array
        method.__code__ = method.__code__.replace(co_filename="/site-packages/arrays/unknown.py")


def while_not_done(unknown: Unknown) -> None:
    while not unknown:
        pass


def break_when_done(unknown: Unknown) -> None:
    while True:
        if unknown.all():
            break


def converged_is_a_comparison(unknown: Unknown) -> None:
    tolerance = 1e-3
    while not (float(unknown) < tolerance):
        pass


def through_a_variable(unknown: Unknown) -> None:
    error = 1.0
    while error > 1e-3 or math.isnan(error):
        error = unknown.item()


def until_a_certain_token(unknown: Unknown) -> None:
    end_of_sequence = 151645
    while True:
        token = int(unknown.item())
        if token == end_of_sequence:
            break


def enough_accepted(unknown: Unknown) -> None:
    wanted = 1000
    while int(unknown.item()) < wanted:
        pass


def goes_on(flag: Unknown | bool, count: int) -> bool:
    if count > 1000:
        raise ValueError
    if flag:  # noqa: SIM103 - as people write it
        return False
    return True


def a_function_says_whether_to_go_on(unknown: Unknown) -> None:
    while goes_on(unknown, 1):
        pass


def all_of_several(unknown: Unknown) -> None:
    while not all(each.item() for each in [unknown] * 2):
        pass


def a_function_that_returns_it(unknown: Unknown) -> None:
    def ask() -> bool:
        answer = bool(unknown)
        unknown.said.append("loop")
        return answer

    while not ask():
        pass


def a_loop_that_returns(unknown: Unknown) -> int:
    while True:
        if not math.isnan(float(unknown)):
            return 1


@pytest.mark.parametrize(
    ("usual", "loop"),
    [
        (False, while_not_done),
        (False, break_when_done),
        (math.nan, converged_is_a_comparison),
        (math.nan, through_a_variable),
        (0, until_a_certain_token),
        (0, enough_accepted),
        (False, a_function_says_whether_to_go_on),
        (False, all_of_several),
        (False, a_function_that_returns_it),
        (math.nan, a_loop_that_returns),
    ],
)
def test_a_loop_ends(usual: float, loop: Callable[[Unknown], object]) -> None:
    """The answer that ends a loop is found from its source, through comparisons, variables and functions."""
    unknown = Unknown(usual)
    loop(unknown)
    assert "loop" in unknown.said
    assert unknown.asked > PATIENCE


def plain_assert(unknown: Unknown) -> None:
    assert unknown


def negated_assert(unknown: Unknown) -> None:
    assert not unknown


def raise_when_not(unknown: Unknown) -> None:
    if not unknown.all():
        raise ValueError


def not_finite(unknown: Unknown) -> None:
    loss = unknown.item()
    if not math.isfinite(loss):
        raise ValueError


def in_range(unknown: Unknown) -> None:
    limit = 7
    assert unknown.item() > limit


def equal(unknown: Unknown) -> None:
    expected = 42
    if unknown.item() != expected:
        raise ValueError


def in_a_lambda(unknown: Unknown) -> None:
    check: Callable[[], bool] = lambda: bool(unknown)  # noqa: E731
    assert check()


def _assert(condition: bool) -> None:
    if not condition:
        raise ValueError


def a_call_that_checks(unknown: Unknown) -> None:
    _assert(bool(unknown.all()))


@pytest.mark.parametrize(
    ("usual", "check"),
    [
        (False, plain_assert),
        (True, negated_assert),
        (False, raise_when_not),
        (math.nan, not_finite),
        (0, in_range),
        (0, equal),
        (False, in_a_lambda),
        (False, a_call_that_checks),
    ],
)
def test_an_assert_passes(usual: float, check: Callable[[Unknown], object]) -> None:
    """An assert, or a condition that raises, is told at once what lets it pass."""
    unknown = Unknown(usual)
    check(unknown)
    assert set(unknown.said) == {"assert"}


def test_a_nan_is_never_made_whole() -> None:
    """int() of a NaN raises, so a read that becomes a whole number gets a zero."""
    unknown = Unknown(math.nan)
    size = int(unknown.item()) + round(unknown.item())
    assert size == 0
    shown = round(unknown.item() / 4, 5)
    assert math.isnan(shown)


def test_other_reads_are_left_alone() -> None:
    """A loss that is printed and a condition that only chooses are no loops and no asserts."""
    unknown = Unknown(0.0)
    seen = [float(unknown) for _ in range(3)]
    if unknown:
        seen.append(1.0)
    for _ in range(10):
        if unknown:
            break  # a for loop ends by itself
    assert set(unknown.said) == {""}


def test_what_a_function_makes_of_it_is_not_guessed() -> None:
    """A loop whose condition hands the value to a function is a loop, and what ends it is not known."""
    said: list[list[str]] = []
    flag = False
    while goes_on(flag, len(said)):
        flag = note(said, describe("", "bool").split("\t")[:2])
    assert said == [["loop", ""]] * 2


def note(said: list[list[str]], words: list[str]) -> bool:
    said.append(words)
    return len(said) > 1


def test_each_run_of_a_loop_has_a_number_of_its_own() -> None:
    """The same loop in the next call is another loop, though its frame may lie at the same address."""
    numbers: list[str] = []

    def loop() -> None:
        left = 3
        while left:
            left -= 1
            if add(describe("", "f32").split("\t")[3]):
                break

    def add(number: str) -> bool:
        numbers.append(number)
        return False

    loop()
    loop()
    assert numbers[0] == numbers[1] == numbers[2] != numbers[3] == numbers[5]


def test_a_condition_that_asks_twice_is_one_place() -> None:
    """Reads of one ``all(…)`` have one reader, the next turn of the loop another, in the same loop."""
    said: list[list[str]] = []

    def ask() -> bool:
        said.append(describe("arrays", "f32").split("\t")[3:5])
        return len(said) % 2 == 1 or len(said) > 3

    ask.__code__ = ask.__code__.replace(co_filename="/site-packages/arrays/unknown.py")
    while not all(ask() for _ in range(2)):
        pass
    assert said[0] == said[1]
    assert said[2] == said[3]
    assert said[0][0] == said[2][0]
    assert said[0][1] != said[2][1]


def test_without_a_source_it_says_so() -> None:
    """Code from a string has no source to look at."""
    said: list[str] = []
    exec(  # noqa: S102
        "def ask():\n    said.append(describe('', 'f32'))\nask()", {"said": said, "describe": describe}
    )
    assert said == ["?\t\t0"]


def nested(unknown: Unknown) -> Iterator[int]:
    for batch in range(3):
        while_not_done(unknown)
        unknown.asked = 0
        yield batch


def test_loops_in_generators_end() -> None:
    """A data loader's rejection loop."""
    assert list(nested(Unknown(False))) == [0, 1, 2]

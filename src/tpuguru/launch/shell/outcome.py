"""Whether a command succeeds, what that answer rests on, and the jumps a script can make."""

from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Choice:
    """A name and the value that would send the script down another branch: a variant."""

    name: str
    value: str
    default: str = ""  # the value it has in the reading that takes every default


@dataclass(frozen=True, slots=True)
class Outcome:
    """Success or failure, the names assumed unset for it, and the choices that would change it."""

    ok: bool = True
    assumes: frozenset[str] = frozenset()
    choices: tuple[Choice, ...] = ()
    guess: str = ""  # why the answer is not certain, when that is not an unset name: «-f x asks the machine»

    @property
    def certain(self) -> bool:
        """Whether the paste alone settles it."""
        return not self.assumes and not self.guess

    def negated(self) -> "Outcome":
        """Return the outcome of ``!``."""
        return replace(self, ok=not self.ok)

    def both(self, other: "Outcome", *, ok: bool) -> "Outcome":
        """Combine with the other side of ``&&`` or ``||``."""
        return Outcome(
            ok, self.assumes | other.assumes, self.choices + other.choices, self.guess or other.guess
        )


SUCCESS = Outcome()
FAILURE = Outcome(ok=False)


class Stop(Exception):  # noqa: N818 - control flow of the script, not an error of ours
    """``exit``: the script ends here."""


class Return(Exception):  # noqa: N818
    """``return`` from a function or a sourced file."""


class Loop(Exception):  # noqa: N818
    """``break`` (``again`` false) or ``continue``."""

    def __init__(self, *, again: bool) -> None:
        """Leave the loop, or go on with its next round."""
        super().__init__()
        self.again = again

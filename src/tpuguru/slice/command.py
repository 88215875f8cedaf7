"""The command line of a user's program, taken apart: what is set for it, what runs it, what it reads."""

import os
import re
from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import UsageError

_ASSIGNMENT = re.compile(r"[A-Za-z_][A-Za-z0-9_]*=")
_PYTHON = re.compile(r"python[0-9.]*$")
# Options of the interpreter that take the next word as their value.
_WITH_VALUE = ("-W", "-X", "--check-hash-based-pycs")


@dataclass(frozen=True, slots=True)
class ProgramCommand:
    """``A=1 python -u train.py --lr 1``: variables, program (``python -u train.py``), arguments."""

    variables: tuple[tuple[str, str], ...]
    program: tuple[str, ...]
    arguments: tuple[str, ...]

    @property
    def words(self) -> tuple[str, ...]:
        """What is executed, without the variables."""
        return self.program + self.arguments

    @property
    def interpreter_options(self) -> tuple[str, ...]:
        """The words between the interpreter and what it runs."""
        return self.program[1 : len(self.program) - len(self.target)] if self.target else ()

    @property
    def target(self) -> tuple[str, ...]:
        """What the interpreter runs: ``("train.py",)`` or ``("-m", "train")``; empty when not known."""
        if _PYTHON.match(Path(self.program[0]).name) and "-c" not in self.program:
            return self.program[-2:] if "-m" in self.program[1:] else self.program[1:][-1:]
        return ()


def split_command(words: list[str]) -> ProgramCommand:
    """Take a command apart. ``env A=1 command`` is the same as ``A=1 command``."""
    rest = words[1:] if words[:1] == ["env"] and len(words) > 1 and _ASSIGNMENT.match(words[1]) else words
    variables = []
    while rest and _ASSIGNMENT.match(rest[0]):
        name, _, value = rest[0].partition("=")
        variables.append((name, value))
        rest = rest[1:]
    count = _program_length(rest)
    return ProgramCommand(tuple(variables), tuple(rest[:count]), tuple(rest[count:]))


def named_variables(words: list[str]) -> tuple[tuple[str, str], ...]:
    """Return the variables of ``--env``: ``NAME=VALUE``, or ``NAME`` alone for the value it has now.

    UsageError for a word that is no variable, or names one that is not set.
    """
    found = []
    for word in words:
        name, equals, value = word.partition("=")
        if not _ASSIGNMENT.fullmatch(f"{name}=") or (not equals and name not in os.environ):
            raise UsageError(
                f"--env {word!r} names no variable", help="--env NAME=VALUE, or a variable that is set"
            )
        found.append((name, value if equals else os.environ[name]))
    return tuple(found)


def _program_length(words: list[str]) -> int:
    """Return how many words come before those that the program itself reads."""
    if not words or not _PYTHON.match(Path(words[0]).name):
        script = next((at for at, word in enumerate(words) if at and word.endswith(".py")), 0)
        return script + 1 if words else 0  # torchrun --nproc-per-node 2 train.py
    at = 1
    while at < len(words) and words[at].startswith("-"):
        if words[at] in ("-m", "-c"):
            return min(at + 2, len(words))
        at += 2 if words[at] in _WITH_VALUE else 1
    return min(at + 1, len(words))

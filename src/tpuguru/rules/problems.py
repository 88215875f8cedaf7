"""What is wrong with a rule file, shown as a compiler would: place, line, caret."""

from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.rules.language.errors import ExpressionError, Span
from tpuguru.rules.model import Piece


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault in one rule file."""

    path: Path
    message: str
    line: int = 1
    column: int = 1
    width: int = 0
    hint: str = ""

    @property
    def location(self) -> Location:
        """Return where the fault is."""
        return Location(str(self.path), self.line, self.column, self.line, self.column + self.width)


class RuleFileError(Exception):
    """A rule file cannot be used; carries every fault that was found in it."""

    def __init__(self, problems: list[Problem]) -> None:
        """Keep the faults, at least one."""
        super().__init__(problems[0].message)
        self.problems = problems


def problem_in(path: Path, piece: Piece, error: ExpressionError) -> Problem:
    """Return the fault of an expression or template at its place in the file."""
    span = error.span or Span(1, 1, 1, 1 + len(piece.text.split("\n")[0]))
    column = span.column + (piece.column - 1 if span.line == 1 else piece.indent)
    lines = piece.text.split("\n")
    end = span.end_column if span.end_line == span.line else len(lines[min(span.line, len(lines)) - 1]) + 1
    return Problem(
        path, error.message, piece.line + span.line - 1, column, max(end - span.column, 1), error.hint
    )


def usage_error(problems: list[Problem]) -> UsageError:
    """Return the error that stops the run: the first fault as its sentence, all of them as its details."""
    first = problems[0]
    others = len(problems) - 1
    more = f" (and {others} more {'fault' if others == 1 else 'faults'} in rule files)" if others else ""
    return UsageError(
        f"a rule cannot be used: {first.message}{more}",
        location=first.location,
        help=first.hint or "a broken rule stops the run, since skipping it would look like a clean result",
        details="\n".join(_excerpt(problem, named=bool(others)) for problem in problems[:20]),
    )


def _excerpt(problem: Problem, *, named: bool) -> str:
    head = [f"{problem.location}: {problem.message}"] if named else []
    try:
        text = problem.path.read_text(encoding="utf-8", errors="replace").split("\n")[problem.line - 1]
    except (OSError, IndexError):
        return "\n".join(head)
    gutter = f"{problem.line:5} | "
    if not problem.width:
        return "\n".join([*head, gutter + text])
    caret = " " * (len(gutter) + problem.column - 1) + "^" * problem.width
    return "\n".join([*head, gutter + text, caret])

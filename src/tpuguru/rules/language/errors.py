"""What is wrong with an expression, and where in its text."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of an expression's text. Lines and characters count from 1; the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class ExpressionError(Exception):
    """An expression cannot be read, names something that does not exist, or mixes types or units."""

    def __init__(self, message: str, span: Span | None = None, *, hint: str = "") -> None:
        """Keep the sentence, the span it is about (None: the whole text) and what to write instead."""
        super().__init__(message)
        self.message = message
        self.span = span
        self.hint = hint

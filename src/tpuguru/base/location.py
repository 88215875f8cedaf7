"""A place in something the user pasted."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Location:
    """A span in a text. Lines and columns count from 1; columns count characters, the end is exclusive."""

    path: str
    line: int
    column: int = 1
    end_line: int | None = None
    end_column: int | None = None

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}"

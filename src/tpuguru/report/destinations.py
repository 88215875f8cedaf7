"""``--output-format FORMAT[=FILE]``: which formats a report is written in, and where to."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class Output:
    """A format, and the file it goes to; standard output when the path is None."""

    format: str
    path: Path | None = None


def chosen_outputs(words: Sequence[str], formats: Sequence[str], *, example: str) -> tuple[Output, ...]:
    """Read ``FORMAT[=FILE]`` words. UsageError for an unknown format, or two formats for standard output."""
    chosen = tuple(_output(word, formats) for word in words) or (Output("text"),)
    if sum(output.path is None for output in chosen) > 1:
        raise UsageError(
            "two formats cannot share standard output",
            help=f"give one a file: --output-format {example}",
        )
    return chosen


def _output(word: str, formats: Sequence[str]) -> Output:
    name, equals, path = word.partition("=")
    if name not in formats:
        near = did_you_mean(name, formats) or formats
        raise UsageError(f"unknown output format {name!r}", help=f"use {' or '.join(near)}")
    if equals and not path:
        raise UsageError(f"the output format {name} names no file after =")
    return Output(name, Path(path) if path else None)


def write_whole(path: Path, text: str) -> None:
    """Write a file in one step, so that a killed run leaves the old one. UsageError when it cannot be."""
    partial = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device is written to, never replaced
            path.write_text(text, encoding="utf-8")
            return
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}") from None

"""The sections of a rule file: Why, Cost, Fix, Skip when, Examples."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tpuguru.rules.model import Example, Expectation, Page, Piece
from tpuguru.rules.problems import Problem, RuleFileError

SECTIONS = ("Why", "Cost", "Fix", "Skip when", "Examples")
_FENCE = re.compile(r"(`{3,})(\w*)\s*$")


@dataclass(frozen=True, slots=True)
class _Line:
    number: int
    text: str
    fenced: bool


def read_page(body: str, first_line: int, path: Path) -> Page:
    """Split what follows the front matter. ``first_line`` is the file's line number of the body's first line.

    Raises:
        RuleFileError: a section is missing, empty, unknown or out of order, or an example is malformed.

    """
    sections = _sections(list(_lines(body, first_line)), path)
    problems = [
        Problem(path, f"the section `## {name}` is missing or empty")
        for name in SECTIONS
        if name not in sections or not any(line.text.strip() for line in sections[name])
    ]
    if problems:
        raise RuleFileError(problems)
    why, cost, fix, skip_when = (_piece(sections[name]) for name in SECTIONS[:4])
    return Page(why, cost, fix, skip_when, tuple(_examples(sections["Examples"], path)))


def _lines(body: str, first_line: int) -> Iterator[_Line]:
    fence = ""
    for number, text in enumerate(body.split("\n"), first_line):
        mark = _FENCE.match(text)
        if fence:
            yield _Line(number, text, fenced=True)
            fence = "" if text.strip() == fence else fence
        elif mark:
            fence = mark[1]
            yield _Line(number, text, fenced=True)
        else:
            yield _Line(number, text, fenced=False)


def _sections(lines: list[_Line], path: Path) -> dict[str, list[_Line]]:
    sections: dict[str, list[_Line]] = {}
    current: list[_Line] = []
    for line in lines:
        if line.fenced or not line.text.startswith("## "):
            current.append(line)
            continue
        name = line.text[3:].strip()
        if name not in SECTIONS or name in sections:
            hint = f"the sections are {', '.join(SECTIONS)}, each once"
            raise RuleFileError(
                [Problem(path, f"a section `{name}` does not belong here", line.number, 4, len(name), hint)]
            )
        current = sections[name] = []
    return sections


def _piece(lines: list[_Line]) -> Piece:
    texts = [line.text for line in lines]
    start = next(index for index, text in enumerate(texts) if text.strip())
    return Piece("\n".join(texts[start:]).rstrip(), lines[start].number)


def _examples(lines: list[_Line], path: Path) -> Iterator[Example]:
    heading: _Line | None = None
    position = 0
    while position < len(lines):
        line = lines[position]
        if not line.fenced and line.text.startswith("### "):
            heading = line
        mark = _FENCE.match(line.text) if line.fenced else None
        if mark and heading:
            end = next(
                (at for at in range(position + 1, len(lines)) if lines[at].text.strip() == mark[1]),
                len(lines),
            )
            yield _example(heading, mark[2], lines[position + 1 : end], line.number, path)
            heading, position = None, end
        elif mark:
            raise RuleFileError(
                [Problem(path, "an example needs a heading `### Bad: …` above it", line.number)]
            )
        position += 1


def _example(heading: _Line, language: str, lines: list[_Line], number: int, path: Path) -> Example:
    word, _, title = heading.text[4:].partition(":")
    if word.strip().lower() not in [member.value for member in Expectation]:
        hint = "Bad, Good, Borderline or Unknown, e.g. `### Bad: offload asked for under full`"
        raise RuleFileError([Problem(path, f"{word} says no verdict", heading.number, 5, len(word), hint)])
    if language not in ("facts", "launch", "paste"):
        hint = "```facts, ```launch or ```paste"
        raise RuleFileError(
            [Problem(path, f"an example is facts, a launch or a paste, not {language!r}", number, 1, 0, hint)]
        )
    body = Piece("\n".join(line.text for line in lines), number + 1)
    return Example(Expectation(word.strip().lower()), title.strip(), language, body)

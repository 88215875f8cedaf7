"""The bilingual alias glossary: which words, in English and Chinese, mean the same thing."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.knowledge.stemmer import stem
from tpuguru.knowledge.terms import is_han, tokens, word_parts

CONCEPT_PREFIX = "zz_"  # no English word starts so; the index holds concepts beside words
OUTSIDE = "outside-"  # concepts that no claim is about: never indexed, so that they weigh against coverage


@dataclass(frozen=True, slots=True)
class ConceptMatch:
    """A place in a text where a concept is named; the end is exclusive."""

    start: int
    end: int
    concept: str

    @property
    def outside(self) -> bool:
        """Whether the concept names what no claim is about."""
        return self.concept.startswith(OUTSIDE)

    @property
    def term(self) -> str:
        """The index term of the concept."""
        return CONCEPT_PREFIX + self.concept.replace("-", "_")


@dataclass(frozen=True)
class Glossary:
    """Aliases of concepts, and the words a question may hold without asking anything."""

    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    ignored: frozenset[str] = frozenset()

    @cached_property
    def ignored_stems(self) -> frozenset[str]:
        """The stems of the ignored English words."""
        return frozenset(stem(word) for word in self.ignored if not is_han(word))

    @cached_property
    def ignored_han(self) -> re.Pattern[str]:
        """A pattern of the ignored Chinese words, the longest first."""
        words = sorted((word for word in self.ignored if is_han(word)), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, words)) or r"(?!)")

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for concept, names in self.aliases.items():
            for name in names:
                words = tuple(word for word, _, _ in _parts(name)) if not is_han(name) else ()
                if words:
                    found.setdefault(words[0], []).append((words, concept))
        return found

    @cached_property
    def _by_first_character(self) -> dict[str, list[tuple[str, str]]]:
        found: dict[str, list[tuple[str, str]]] = {}
        for concept, names in self.aliases.items():
            for name in names:
                if is_han(name):
                    found.setdefault(name[0].lower(), []).append((name.lower(), concept))
        return found

    def matches(self, text: str) -> list[ConceptMatch]:
        """Return every place where a concept is named, overlaps included, in order."""
        found = [*self._english_matches(text), *self._han_matches(text.lower())]
        return sorted(found, key=lambda match: (match.start, -match.end))

    def longest_matches(self, text: str) -> list[ConceptMatch]:
        """Return the longest matches that do not overlap, preferring longer ones, in order."""
        kept: list[ConceptMatch] = []
        for match in sorted(self.matches(text), key=lambda match: (match.start - match.end, match.start)):
            if all(match.end <= other.start or other.end <= match.start for other in kept):
                kept.append(match)
        return sorted(kept, key=lambda match: match.start)

    def _english_matches(self, text: str) -> Iterator[ConceptMatch]:
        parts = _parts(text)
        for index, (word, start, _) in enumerate(parts):
            for words, concept in self._by_first_word.get(word, ()):
                last = index + len(words)
                if last <= len(parts) and all(
                    parts[index + offset][0] == expected for offset, expected in enumerate(words)
                ):
                    yield ConceptMatch(start, parts[last - 1][2], concept)

    def _han_matches(self, text: str) -> Iterator[ConceptMatch]:
        for index, character in enumerate(text):
            for name, concept in self._by_first_character.get(character, ()):
                if text.startswith(name, index):
                    yield ConceptMatch(index, index + len(name), concept)


def _parts(text: str) -> list[tuple[str, int, int]]:
    """Return the stems of ``text`` with their places, identifiers in parts."""
    return [
        (part, token.start + start, token.start + end)
        for token in tokens(text)
        if not token.han
        for part, start, end in word_parts(token.text)
    ]


def read_glossary(text: str, path: str) -> Glossary:
    """Return the glossary written in ``text``: rows ``| concept | English | Chinese |``, names split by «;».

    The row of the concept ``ignored`` lists words that carry no question. Raises UsageError.
    """
    aliases: dict[str, tuple[str, ...]] = {}
    ignored: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        row = line.strip()
        if not row.startswith("|") or re.fullmatch(r"[|:\s-]+", row):
            continue
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        location = Location(path, number)
        if len(cells) != 3:
            raise UsageError(
                f"a glossary row has 3 cells, found {len(cells)}",
                location=location,
                help="| concept | English; names | 中文; 名称 |",
            )
        concept, *names = cells[0], *_names(cells[1]), *_names(cells[2])
        if concept == "concept":
            continue
        if concept == "ignored":
            ignored.update(name.lower() for name in names)
            continue
        _check_row(concept, names, aliases, location)
        aliases[concept] = tuple(names)
    return Glossary(aliases, frozenset(ignored))


def _check_row(
    concept: str, names: list[str], aliases: dict[str, tuple[str, ...]], location: Location
) -> None:
    if not re.fullmatch(r"[a-z0-9]+(?:-[a-z0-9]+)*", concept):
        raise UsageError(
            f"{concept!r} is not a concept's name", location=location, help="lower case with hyphens"
        )
    if concept in aliases:
        raise UsageError(f"the concept {concept!r} has two rows", location=location, help="join them")
    if not names:
        raise UsageError(f"the concept {concept!r} has no names", location=location)


def _names(cell: str) -> list[str]:
    return [name.strip() for name in re.split(r"[;；]", cell) if name.strip()]

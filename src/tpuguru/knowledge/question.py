"""What a question asks for: units of meaning, each matched by any of its index terms."""

from dataclasses import dataclass

from tpuguru.knowledge.glossary import ConceptMatch, Glossary
from tpuguru.knowledge.terms import MAXIMUM_CHARACTERS, Token, bigrams, tokens

MAXIMUM_UNITS = 64
_HAN_BIGRAM_SHARE = 0.5  # n characters give n-1 bigrams but about n/2 words


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that is asked about: the user's words, the terms that match it, and its share of weight."""

    label: str
    terms: tuple[str, ...]
    share: float = 1.0


def units(question: str, glossary: Glossary) -> list[Unit]:
    """Return the units of a question: concepts of the glossary where they match, else words."""
    text = question[:MAXIMUM_CHARACTERS]
    concepts = glossary.longest_matches(text)
    found = {
        _unit_key(unit): unit for unit in [*_concept_units(text, concepts), *_words(text, concepts, glossary)]
    }
    return list(found.values())[:MAXIMUM_UNITS]


def _unit_key(unit: Unit) -> tuple[str, ...]:
    return unit.terms


def _concept_units(text: str, concepts: list[ConceptMatch]) -> list[Unit]:
    return [Unit(text[match.start : match.end], (match.term,)) for match in concepts]


def _words(text: str, concepts: list[ConceptMatch], glossary: Glossary) -> list[Unit]:
    found: list[Unit] = []
    for token in tokens(text):
        covered = [
            match
            for match in concepts
            if match.start < token.start + len(token.text) and token.start < match.end
        ]
        if token.han:
            found += _han_units(token, covered, glossary)
        elif not covered and not _ignored(token, glossary):
            found.append(_word_unit(token))
    return found


def _ignored(token: Token, glossary: Glossary) -> bool:
    return all(
        term in glossary.ignored_stems or (term.isdigit() and len(term) < 3) for term in token.terms[-1:]
    ) and (len(token.terms) == 1)


def _word_unit(token: Token) -> Unit:
    """Return the unit of a word; an identifier is met by its whole form, or else by its parts."""
    return Unit(token.text, token.terms)


def _han_units(token: Token, covered: list[ConceptMatch], glossary: Glossary) -> list[Unit]:
    """Return the bigrams of what a run of Han characters holds besides concepts and ignored words."""
    rest = list(token.text)
    for match in covered:
        for index in range(max(match.start, token.start), min(match.end, token.start + len(rest))):
            rest[index - token.start] = " "
    runs = glossary.ignored_han.sub(" ", "".join(rest)).split()
    return [Unit(pair, (pair,), _HAN_BIGRAM_SHARE) for run in runs if len(run) > 1 for pair in bigrams(run)]

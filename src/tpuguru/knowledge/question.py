"""What a question asks for: units of meaning, each matched by any of its index terms."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

from tpuguru.knowledge.glossary import CONCEPT_PREFIX, ConceptMatch, Glossary
from tpuguru.knowledge.terms import MAXIMUM_CHARACTERS, Token, bigrams, is_code, terms, tokens

MAXIMUM_UNITS = 64
_HAN_BIGRAM_SHARE = 0.5  # n characters give n-1 bigrams but about n/2 words
_HAN_RUN_SHARE = 1.0  # most claims are in English: Chinese words of no claim must not outweigh concepts


@dataclass(frozen=True, slots=True)
class Unit:
    """One thing that is asked about: the user's words, the terms that match it, and its share of weight.

    ``wording`` are the terms of the words themselves where a concept stands for them: of two claims about the
    same concept the one that uses the user's words is nearer.
    """

    label: str
    terms: tuple[str, ...]
    share: float = 1.0
    wording: tuple[str, ...] = ()

    @property
    def outside(self) -> bool:
        """Whether the glossary knows it as something that no claim is about."""
        return self.terms[0].startswith(CONCEPT_PREFIX + "outside_")

    @property
    def of_the_field(self) -> bool:
        """Whether the glossary knows it as something that claims are about."""
        return bool(self.wording) and not self.outside


def units(question: str, glossary: Glossary) -> list[Unit]:
    """Return the units of a question: concepts of the glossary where they match, else words."""
    text = question[:MAXIMUM_CHARACTERS]
    words = tokens(text)
    starts = [word.start for word in words]
    concepts = [
        match
        for match in glossary.longest_matches(text)
        if not _inside_code(match, words[max(0, bisect_right(starts, match.start) - 1)])
    ]
    found = [*_concept_units(text, concepts), *_words(words, concepts, glossary)]
    return list({unit.terms: unit for unit in found}.values())[:MAXIMUM_UNITS]


def _inside_code(match: ConceptMatch, word: Token) -> bool:
    """Return whether a match is only a part of a word that is a name in code, which means more as a whole."""
    return (
        word.start <= match.start < match.end <= word.end
        and match.end - match.start < word.end - word.start
        and is_code(word.text)
    )


def _concept_units(text: str, concepts: list[ConceptMatch]) -> list[Unit]:
    labels = [(match, text[match.start : match.end]) for match in concepts]
    return [Unit(label, (match.term,), wording=tuple(terms(label))) for match, label in labels]


def _words(words: list[Token], concepts: list[ConceptMatch], glossary: Glossary) -> list[Unit]:
    found: list[Unit] = []
    starts, ends = [match.start for match in concepts], [match.end for match in concepts]
    for token in words:  # concepts are in order and do not overlap
        covered = concepts[bisect_right(ends, token.start) : bisect_left(starts, token.end)]
        if token.han:
            found += _han_units(token, covered, glossary)
        elif not covered and not _ignored(token, glossary):
            found.append(_word_unit(token))
    return found


def _ignored(token: Token, glossary: Glossary) -> bool:
    """Return whether a word asks nothing: an ignored one, or a bare short number."""
    term = token.terms[0]
    return len(token.terms) == 1 and (term in glossary.ignored_stems or (term.isdigit() and len(term) < 3))


def _word_unit(token: Token) -> Unit:
    """Return the unit of a word; an identifier is met by its whole form, or else by its parts."""
    return Unit(token.text, token.terms)


def _han_units(token: Token, covered: list[ConceptMatch], glossary: Glossary) -> list[Unit]:
    """Return the bigrams of what a run of Han characters holds besides concepts and ignored words."""
    rest = list(token.text)
    for match in covered:
        for index in range(max(match.start, token.start), min(match.end, token.start + len(rest))):
            rest[index - token.start] = " "
    runs = [run for run in glossary.ignored_han.sub(" ", "".join(rest)).split() if len(run) > 1]
    return [Unit(pair, (pair,), _han_share(len(run) - 1)) for run in runs for pair in bigrams(run)]


def _han_share(pairs: int) -> float:
    """Return the weight of one pair: overlapping pairs of a run count together as one or two words."""
    return min(_HAN_BIGRAM_SHARE, _HAN_RUN_SHARE / pairs)

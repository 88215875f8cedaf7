"""Porter's suffix stripping (M. F. Porter, Program 14(3), 1980), with British -ise read as -ize."""

import re
from functools import lru_cache

_STEP_2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate", "ator": "ate",
    "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al", "iviti": "ive",
    "biliti": "ble",
}  # fmt: skip
_STEP_3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
_STEP_4 = (
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ou", "ism", "ate",
    "iti", "ous", "ive", "ize",
)  # fmt: skip


@lru_cache(maxsize=100_000)
def stem(word: str) -> str:
    """Return the stem of a lower-case English word; words of three letters or fewer stay as they are."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    word = re.sub(r"is(e|es|ed|ing|ation|ations|er|ers)$", r"iz\1", word) if len(word) > 6 else word
    word = _step_1(word)
    word = _replace(word, _STEP_2)
    word = _replace(word, _STEP_3)
    word = _step_4(word)
    return _step_5(word)


def _shape(word: str) -> str:
    """Return the pattern of vowels (v) and consonants (c): y counts as a vowel after a consonant."""
    kinds: list[str] = []
    for index, letter in enumerate(word):
        vowel = letter in "aeiou" or (letter == "y" and index > 0 and kinds[-1] == "c")
        kinds.append("v" if vowel else "c")
    return "".join(kinds)


def _measure(word: str) -> int:
    return len(re.findall("v+c+", _shape(word)))


def _ends_cvc(word: str) -> bool:
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _step_1(word: str) -> str:
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    if word.endswith("eed"):
        word = word[:-1] if _measure(word[:-3]) > 0 else word
    else:
        for suffix in ("ed", "ing"):
            if word.endswith(suffix) and "v" in _shape(word[: -len(suffix)]):
                word = _tidy(word[: -len(suffix)])
                break
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    return word


def _tidy(word: str) -> str:
    """Mend what is left after -ed or -ing: conflat(ed) -> conflate, hopp(ing) -> hop, fil(ing) -> file."""
    if word.endswith(("at", "bl", "iz")):
        return word + "e"
    if len(word) > 1 and word[-1] == word[-2] and _shape(word)[-1] == "c" and word[-1] not in "lsz":
        return word[:-1]
    return word + "e" if _measure(word) == 1 and _ends_cvc(word) else word


def _replace(word: str, table: dict[str, str]) -> str:
    for suffix in sorted(table, key=len, reverse=True):
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            return root + table[suffix] if _measure(root) > 0 else word
    return word


def _step_4(word: str) -> str:
    for suffix in sorted((*_STEP_4, "ion"), key=len, reverse=True):
        if word.endswith(suffix):
            root = word[: -len(suffix)]
            fits = _measure(root) > 1 and (suffix != "ion" or root.endswith(("s", "t")))
            return root if fits else word
    return word


def _step_5(word: str) -> str:
    if word.endswith("e"):
        root = word[:-1]
        measure = _measure(root)
        if measure > 1 or (measure == 1 and not _ends_cvc(root)):
            word = root
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word

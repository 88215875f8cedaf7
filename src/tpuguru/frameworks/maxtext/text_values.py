"""From the text of ``key=value`` to the value that MaxText's configuration would hold."""

import re

from tpuguru.frameworks.maxtext.defaults import Key, Plain

_TRUE = {"true", "yes", "on", "1", "t", "y"}
_FALSE = {"false", "no", "off", "0", "f", "n"}
_INTEGER = r"[-+]?\d[\d_]*"


class InvalidValueError(ValueError):
    """The text is not a value of the key's type; the message says what the key takes."""


def parse_value(text: str, key: Key) -> Plain:
    """Return the value of ``text`` for ``key``; InvalidValueError when pydantic would refuse it."""
    stripped = text.strip()
    if stripped.lower() in ("none", "null", "~") and (key.null or key.type in ("text", "other")):
        return None
    if not stripped and key.null:
        return None
    return _PARSERS[key.type](stripped, key)


def _boolean(text: str, _key: Key) -> Plain:
    word = text.lower()
    if word in _TRUE or word in _FALSE:
        return word in _TRUE
    raise InvalidValueError("true or false")


def _integer(text: str, key: Key) -> Plain:
    if re.fullmatch(_INTEGER, text):
        return _among(int(text.replace("_", "")), key)
    try:
        number = float(text)
    except ValueError:
        raise InvalidValueError("a whole number") from None
    if number.is_integer():  # pydantic takes 8.0 for 8
        return _among(int(number), key)
    raise InvalidValueError("a whole number")


def _number(text: str, _key: Key) -> Plain:
    try:
        return int(text.replace("_", "")) if re.fullmatch(_INTEGER, text) else float(text)
    except ValueError:
        raise InvalidValueError("a number") from None


def _text(text: str, key: Key) -> Plain:
    return _among(text, key)


def _among(value: str | int, key: Key) -> Plain:
    if key.choices and value not in key.choices:
        listed = [repr(choice) for choice in key.choices[:12]]
        raise InvalidValueError(f"one of {', '.join(listed)}{' …' if len(key.choices) > 12 else ''}")
    return value


def _texts(text: str, _key: Key) -> Plain:
    return list(_elements(text))


def _integers(text: str, _key: Key) -> Plain:
    words = _elements(text)
    if all(re.fullmatch(_INTEGER, word) for word in words):
        return [int(word.replace("_", "")) for word in words]
    raise InvalidValueError("a list of whole numbers")


def _elements(text: str) -> list[str]:
    inner = text[1:-1] if text[:1] in "[(" and text[-1:] in "])" else text
    return [word.strip().strip("'\"") for word in inner.split(",") if word.strip()]


def _other(text: str, _key: Key) -> Plain:
    return text


_PARSERS = {
    "boolean": _boolean,
    "integer": _integer,
    "number": _number,
    "text": _text,
    "texts": _texts,
    "integers": _integers,
    "other": _other,
}

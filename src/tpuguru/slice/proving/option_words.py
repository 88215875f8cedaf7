"""Compile options as lines that can be compared: numbers of fields and what they hold.

The options are an ``xla.CompileOptionsProto``; its names are not in the bytes, and differ between versions.
"""

from collections.abc import Iterator

# executable_build_options (3) and its debug_options (3.3) are messages; 7 (env_option_overrides) is a map
# from names to messages with one value of some type. Source: xla/pjrt/proto/compile_options.proto.
_MESSAGES = ((3,), (3, 3))
_BY_NAME = (7,)
_VARINT, _EIGHT_BYTES, _BYTES, _FOUR_BYTES = 0, 1, 2, 5


def option_words(options: bytes) -> list[str]:
    """Return sorted lines such as ``3.3.123 = 1``."""
    return sorted(_words(options, ()))


def _words(message: bytes, path: tuple[int, ...]) -> Iterator[str]:
    for number, value in _fields(message):
        inner = (*path, number)
        name = ".".join(map(str, inner))
        if isinstance(value, int):
            yield f"option {name} = {value}"
        elif inner == _BY_NAME:
            yield f"option {_named(value)}"
        elif inner in _MESSAGES:
            yield from _words(value, inner)
        else:
            yield f"option {name} = {_text(value)}"


def _named(entry: bytes) -> str:
    """Return an entry of the map as ``name = value``."""
    parts = dict(_fields(entry))
    name, value = parts.get(1, b""), parts.get(2, b"")
    values = _fields(value) if isinstance(value, bytes) else iter(())
    return f"{_text(name)} = {' '.join(_text(each) for _, each in values)}"


def _text(value: int | bytes) -> str:
    if isinstance(value, int):
        return str(value)
    text = value.decode("utf-8", "replace")
    return text if text.isprintable() and "\ufffd" not in text else value.hex()


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """Yield the fields of a message; a damaged one ends early."""
    at = 0
    while at < len(message):
        key, at = _varint(message, at)
        kind = key & 7
        if kind == _VARINT:
            value, at = _varint(message, at)
            yield key >> 3, value
            continue
        size = {_EIGHT_BYTES: 8, _FOUR_BYTES: 4}.get(kind)
        if kind == _BYTES:
            size, at = _varint(message, at)
        if size is None or at + size > len(message):
            return
        content = message[at : at + size]
        at += size
        yield key >> 3, content if kind == _BYTES else int.from_bytes(content, "little")


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            break
    return value, at

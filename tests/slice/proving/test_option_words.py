"""Compile options as lines."""

from hypothesis import given
from hypothesis import strategies as st

from tpuguru.slice.proving.option_words import option_words


def field(number: int, content: bytes) -> bytes:
    return bytes([number << 3 | 2, len(content)]) + content


def test_nested_messages_and_entries_of_maps_are_told_apart() -> None:
    """Numbers of fields with what they hold; an option given by name is readable."""
    debug = bytes([12 << 3, 1]) + field(13, b"/tmp/dump")
    entry = field(1, b"xla_tpu_flag") + field(2, field(1, b"true"))
    options = bytes([2 << 3, 1]) + field(3, field(3, debug)) + field(7, entry)
    assert option_words(options) == [
        "option 2 = 1",
        "option 3.3.12 = 1",
        "option 3.3.13 = /tmp/dump",
        "option xla_tpu_flag = true",
    ]


@given(st.binary(max_size=60))
def test_damaged_options_end_early(data: bytes) -> None:
    """Whatever the bytes, lines come back."""
    assert all(line.startswith("option ") for line in option_words(data))

"""Frames as the plugin writes them, and bytes that are none."""

import struct
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.slice.values.frames import (
    ExecuteFrame,
    FetchFrame,
    FrameBuffer,
    FrameError,
    FreeFrame,
    GiveFrame,
    Hello,
    Question,
    ReadyFrame,
    ValueFrame,
    answer,
    ask,
)


def frame(kind: int, body: bytes) -> bytes:
    return struct.pack("<IB", len(body) + 1, kind) + body


STREAM = b"".join(
    [
        frame(1, struct.pack("<III2I", 1, 42, 2, 8, 9)),
        frame(3, struct.pack("<QBIQQQ", 5, 11, 2, 2, 3, 4) + b"abcd"),
        frame(4, struct.pack("<QQQI1IIQQB", 0, 1, 10, 1, 0, 2, 5, 6, 0)),
        frame(4, struct.pack("<QQQI1IIQB", 8, 1, 11, 1, 0, 1, 0, 1) + struct.pack("<BIQ", 4, 1, 7)),
        frame(9, struct.pack("<QIIQ", 8, 0, 1, 2) + b"ab"),
        frame(12, struct.pack("<QQ", 9, 10)),
        frame(5, struct.pack("<Q", 5)),
        frame(6, struct.pack("<QQ", 1, 10)),
    ]
)
FRAMES = [
    Hello(1, 42, (8, 9)),
    ValueFrame(5, (11, (2, 3)), b"abcd"),
    ExecuteFrame(1, 10, (0,), ((5, 6),), ()),
    ExecuteFrame(1, 11, (0,), ((0,),), ((4, (7,)),), request=8),
    GiveFrame(8, "", (b"ab",)),
    ReadyFrame(9, 10),
    FreeFrame(5),
    FetchFrame(1, 10),
]


@given(st.lists(st.integers(0, len(STREAM)), max_size=6))
def test_frames_come_whole_however_the_bytes_are_cut(cuts: list[int]) -> None:
    """A socket may deliver any pieces; the frames are the same."""
    buffer = FrameBuffer()
    edges = [0, *sorted(cuts), len(STREAM)]
    found = [each for a, b in pairwise(edges) for each in buffer.feed(STREAM[a:b])]
    assert found == FRAMES


@given(st.binary(max_size=200))
def test_nonsense_is_an_error_or_waits_for_more(data: bytes) -> None:
    """No bytes make the reader do anything else than return frames or raise FrameError."""
    try:
        FrameBuffer().feed(data)
    except FrameError:
        return


@pytest.mark.parametrize("kind", [0, 7, 255])
def test_an_unknown_kind_is_refused(kind: int) -> None:
    """A newer plugin's frames are not skipped silently."""
    with pytest.raises(FrameError):
        FrameBuffer().feed(frame(kind, b""))


def test_an_answer_is_what_the_plugin_reads() -> None:
    """Length, kind, request, known, length of the value, value; or the reason in its place."""
    assert answer(7, b"xy") == struct.pack("<IBQBQ", 20, 6, 7, 1, 2) + b"xy"
    assert answer(7, None, "no") == struct.pack("<IBQBQ", 20, 6, 7, 0, 2) + b"no"


def test_a_question_is_what_the_plugin_reads() -> None:
    """Place; what is sent by channel; how much is wanted by channel."""
    body = struct.pack("<IIQQ", 3, 1, 2, 2) + b"xy" + struct.pack("<IQQ", 1, 4, 8)
    assert (
        ask(7, Question(3, ((2, b"xy"),), ((4, 8),)))
        == struct.pack("<IBQBQ", 18 + len(body), 10, 7, 1, len(body)) + body
    )

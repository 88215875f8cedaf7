"""Warnings and tracebacks in what a rehearsal's ranks wrote."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.slice.output import OutputSummary, read_output


def read(folder: Path, *lines: str) -> OutputSummary:
    log = folder / "output.log"
    log.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return read_output(log)


@pytest.mark.parametrize(
    ("line", "text", "place"),
    [
        ("/a/x.py:12: UserWarning: not usable", "UserWarning: not usable", "/a/x.py:12"),
        ("W1201 11:26:29.744757   24904 group.cc:1299] store disabled", "store disabled", "group.cc:1299"),
        ("W0000 00:00:1796124444.757457   24904 cache.cc:203] slow", "slow", "cache.cc:203"),
        ("E1201 11:26:29.7 24904 client.cc:3] lost", "lost", "client.cc:3"),
        ("[W1201 11:26:29.744757 env.h:405] experimental", "experimental", "env.h:405"),
        ("[rank3]:[W1201 11:26:29.7 logger.cpp:5] no times", "no times", "logger.cpp:5"),
        ("WARNING:root:disk is slow", "root:disk is slow", ""),
        ("I1201 12:05:39.8 1403 utils.py:20] WARNING: packing is ignored", "packing is ignored", ""),
    ],
)
def test_a_warning_in_every_dress(tmp_path: Path, line: str, text: str, place: str) -> None:
    """Python's warnings, glog's lines of TPU libraries and torch, logging's levels."""
    [warning] = read(tmp_path, f"[0 err] {line}").warnings
    assert (warning.text, warning.place) == (text, place)


@pytest.mark.parametrize(
    "line",
    [
        "I1201 12:05:39.8 1403 utils.py:20] all is well",
        "step 3, loss 0.1",
        "tpuguru virtual slice: train.py:3 reads f32[] of jit_step; WARNING: not known",
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR",
        "prewarning: none",
    ],
)
def test_what_is_no_warning_of_the_program(tmp_path: Path, line: str) -> None:
    """Information, our own lines, and what a library says about its own logging."""
    assert read(tmp_path, f"[0 err] {line}").warnings == ()


def test_alike_warnings_are_counted_once(tmp_path: Path) -> None:
    """They differ in numbers and ranks only; the first is shown, the most frequent comes first."""
    found = read(
        tmp_path,
        "[0 err] a.py:1: UserWarning: rare",
        "[0 err] W1201 11:26:29.7 1 x.cc:5] took 3 ms at 0xff3e",
        "[2 err] W1201 11:26:30.7 2 x.cc:5] took 14 ms at 0x1",
    )
    assert [(each.text, each.count, each.ranks) for each in found.warnings] == [
        ("took 3 ms at 0xff3e", 2, (0, 2)),
        ("UserWarning: rare", 1, (0,)),
    ]


def test_warnings_without_end_are_bounded(tmp_path: Path) -> None:
    """Beyond five hundred different ones they are only counted."""
    letters = [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in range(26 * 26)]
    found = read(tmp_path, *(f"[0 err] WARNING: {each}" for each in letters))
    assert len(found.warnings) == 500
    assert found.more_warnings == 26 * 26 - 500


def test_the_last_traceback_of_each_rank(tmp_path: Path) -> None:
    """Ranks write at the same time; the frame that raised and the innermost of the user's are told apart."""
    found = read(
        tmp_path,
        "[0 err] Traceback (most recent call last):",
        "[0 err] KeyError: 'first'",
        "[0 err] Traceback (most recent call last):",
        "[1 err] Traceback (most recent call last):",
        '[0 err]   File "/home/me/train.py", line 3, in <module>',
        '[1 err]   File "/home/me/train.py", line 9, in <module>',
        '[0 err]   File "/e/lib/python3.12/site-packages/jax/x.py", line 7, in f',
        "[0 err]     return g()",
        "[0 err]            ^^^",
        "[1 err] RuntimeError",
        "[0 err] jax.errors.JaxRuntimeError: INTERNAL: no",
        "[0 out] bye",
    )
    assert [(each.rank, each.exception, each.raised_at, each.user_line) for each in found.tracebacks] == [
        (
            0,
            "jax.errors.JaxRuntimeError: INTERNAL: no",
            "/e/lib/python3.12/site-packages/jax/x.py:7",
            "/home/me/train.py:3",
        ),
        (1, "RuntimeError", "/home/me/train.py:9", "/home/me/train.py:9"),
    ]


def test_no_log_says_nothing(tmp_path: Path) -> None:
    """A rehearsal that was ended before its first line."""
    assert read_output(tmp_path / "output.log") == OutputSummary()


@given(st.binary(max_size=400))
def test_any_bytes_are_read(tmp_path_factory: pytest.TempPathFactory, content: bytes) -> None:
    """The program may write whatever it likes."""
    log = tmp_path_factory.mktemp("log") / "output.log"
    log.write_bytes(b"[0 err] " + content)
    read_output(log)

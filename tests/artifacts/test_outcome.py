"""The compiler's own words: codes, memory spaces, sizes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.artifacts.outcome import find_error

VMEM = (
    "RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory in memory space vmem while allocating on stack"
    " for %dkv.1 = ... Scoped allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M. It"
)
OLD = "RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm. Used 41.76G of 31.25G hbm. Exceeded hbm capacity by 10.51G."


@pytest.mark.parametrize(
    ("text", "code", "space", "required", "limit", "exceeded"),
    [
        (VMEM, "E1001", "vmem", 45.54 * 2**20, 32 * 2**20, 13.54 * 2**20),
        ("XlaRuntimeError: " + OLD, "", "hbm", 41.76 * 2**30, 31.25 * 2**30, 10.51 * 2**30),
    ],
)
def test_memory_errors(
    text: str, code: str, space: str, required: float, limit: float, exceeded: float
) -> None:
    """Code, memory space and the three sizes come out of the message."""
    error = find_error(text)
    assert error is not None
    assert (error.code, error.space, error.status) == (code, space, "RESOURCE_EXHAUSTED")
    assert (error.required_bytes, error.limit_bytes, error.exceeded_bytes) == (
        round(required),
        round(limit),
        round(exceeded),
    )


def test_message_over_several_lines() -> None:
    """The documented shape (code line, message, «See …») is read without the link."""
    text = "E2003: CompileTimeMosaicUnprovenMemoryAccessAlignment:\ncannot prove 128\nSee https://openxla.org/xla/errors"
    error = find_error(text)
    assert error is not None
    assert (error.code, error.message) == ("E2003", "cannot prove 128")


def test_start_up_noise_is_no_error() -> None:
    """What libraries log while they start is not the compile's failure."""
    assert (
        find_error(
            "E0000 00:00:17.9 99 common_lib.cc:906] INVALID_ARGUMENT: Error: unexpected worker hostname"
        )
        is None
    )


def test_last_coded_error_wins() -> None:
    """With several errors the last coded one is reported."""
    text = "E1000: CompileTimeHbmOom: first\n\nE1001: CompileTimeScopedVmemOom: second\n\nINTERNAL: third\n"
    error = find_error(text)
    assert error is not None
    assert error.code == "E1001"


@given(st.text(max_size=300))
def test_any_log_is_survived(text: str) -> None:
    """No log text makes the reader raise."""
    find_error(text)

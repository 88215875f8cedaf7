"""Times and rates are blanked, everything else is left alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.slice.figures import blank_figures


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (
            "completed step: 3, seconds: 0.005, TFLOP/s/device: 2401.2, Tokens/s/device: 819200.0, total_weights: 4096, loss: 0.000",
            "completed step: 3, seconds: —, TFLOP/s/device: —, Tokens/s/device: —, total_weights: 4096, loss: 0.000",
        ),
        ("step_time=0.0123 loss=2.5", "step_time=— loss=2.5"),
        (
            "iteration 10 | elapsed time per iteration (ms): 5.1 | lm loss: 1.0E+01",
            "iteration 10 | elapsed time per iteration (ms): — | lm loss: 1.0E+01",
        ),
        (" 50%|█████     | 5/10 [00:01<00:01, 4.31it/s]", " 50%|█████     | 5/10 [00:01<00:01, —it/s]"),
        ("throughput: 1,234.5 tokens/s", "throughput: — tokens/s"),
        ("MFU 43.1%, Total TFLOPs: 410.5", "MFU —%, Total TFLOPs: 410.5"),
        ("Loaded 4096 tokens in 12 files", "Loaded 4096 tokens in 12 files"),
        ("learning rate 0.001, memory 12.5GiB", "learning rate 0.001, memory 12.5GiB"),
    ],
)
def test_what_a_trainer_prints(line: str, shown: str) -> None:
    """Lines of MaxText, Megatron, tqdm and others."""
    assert blank_figures(line)[0] == shown


@given(st.text(max_size=200))
def test_no_line_is_too_strange(line: str) -> None:
    """Any text comes back, and blanking twice changes nothing more."""
    once, _ = blank_figures(line)
    assert blank_figures(once)[0] == once

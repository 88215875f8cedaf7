"""A quoted figure is held against published ones and the chip's peak."""

from pathlib import Path

import pytest
from tests.knowledge.pages import claim, opened, write_base

from tpuguru.base.errors import UsageError
from tpuguru.knowledge import KnowledgeBase
from tpuguru.knowledge.baselines import FigureStatus, FigureVerdict


def test_a_published_figure_is_confirmed(shipped: KnowledgeBase) -> None:
    """The recipe's own value is within what is published, and the source is shown."""
    check = shipped.check_figure("llama3.1-8b", "v6e-8", 413.4, "TFLOP/s", per="device")
    assert check.verdict is FigureVerdict.WITHIN
    assert check.share_of_peak == pytest.approx(413.4 / 918)
    assert all(item.source.startswith("https://") for item in check.compared)


@pytest.mark.parametrize(
    ("hardware", "value", "per", "verdict"),
    [
        ("v6e-8", 1000.0, "device", FigureVerdict.IMPOSSIBLE),
        ("v6e-8", 700.0, "device", FigureVerdict.ABOVE),
        ("v6e-8", 100.0, "device", FigureVerdict.BELOW),
        ("tpu7x-128", 1300.0, "device", FigureVerdict.IMPOSSIBLE),
        ("tpu7x-128", 2400.0, "", FigureVerdict.IMPOSSIBLE),
        ("v4-128", 150.0, "device", FigureVerdict.NO_BASELINE),
    ],
)
def test_a_figure_is_judged(
    shipped: KnowledgeBase, hardware: str, value: float, per: str, verdict: FigureVerdict
) -> None:
    """Above the peak is impossible, above all published suspect, below them slow, else no baseline."""
    assert shipped.check_figure("llama3.1-8b", hardware, value, "TFLOP/s", per=per).verdict is verdict


def test_device_and_chip_are_told_apart(shipped: KnowledgeBase) -> None:
    """On tpu7x a published figure per chip is halved for a device, and a mix-up is named."""
    per_chip = shipped.check_figure("llama3.1-70b", "tpu7x-4x4x4", 1207, "TFLOP/s", per="chip")
    per_device = shipped.check_figure("llama3.1-70b", "tpu7x-4x4x4", 1207 / 2, "TFLOP/s", per="device")
    assert per_chip.verdict is per_device.verdict is FigureVerdict.WITHIN
    mixed = shipped.check_figure("llama3.1-70b", "tpu7x-4x4x4", 1207, "TFLOP/s", per="device")
    assert mixed.verdict is FigureVerdict.IMPOSSIBLE
    assert any("per chip?" in note for note in mixed.notes)


def test_a_bf16_figure_is_not_compared_with_fp8(shipped: KnowledgeBase) -> None:
    """The number format decides the peak and what is comparable."""
    fp8 = shipped.check_figure(
        "llama3.1-70b", "tpu7x-4x4x4", 1854, "TFLOP/s", per="chip", number_format="fp8"
    )
    bf16 = shipped.check_figure("llama3.1-70b", "tpu7x-4x4x4", 1854, "TFLOP/s", per="chip")
    assert fp8.verdict is FigureVerdict.WITHIN
    assert bf16.verdict is FigureVerdict.ABOVE
    assert all(item.precision == "bf16" for item in bf16.compared)
    over = shipped.check_figure("llama3.1-70b", "tpu7x-4x4x4", 3000, "TFLOP/s", per="chip")
    assert over.verdict is FigureVerdict.IMPOSSIBLE
    assert any("fp8" in note for note in over.notes)


def test_a_void_figure_is_no_baseline(shipped: KnowledgeBase) -> None:
    """A figure measured with random routing is shown with the reason and never confirms anything."""
    check = shipped.check_figure("qwen3-235b-a22b", "tpu7x", 629.79, "TFLOP/s", per="chip")
    assert check.verdict is FigureVerdict.NO_BASELINE
    assert any("void" in note and "random" in note for note in check.notes)


def test_mfu_above_a_hundred_is_impossible(shipped: KnowledgeBase) -> None:
    """A share of the peak cannot exceed one."""
    assert shipped.check_figure("llama3.1-8b", "v6e-8", 130, "MFU").verdict is FigureVerdict.IMPOSSIBLE


def test_no_published_figure_exceeds_its_peak(shipped: KnowledgeBase) -> None:
    """The table itself passes the check that it serves; what is not valid says why."""
    for figure in shipped.baselines:
        assert figure.status is FigureStatus.VALID or len(figure.why) > 10, figure.id
        if figure.status is FigureStatus.VALID:
            check = shipped.check_figure(
                figure.model,
                figure.hardware,
                figure.value,
                figure.unit,
                per=figure.per,
                number_format=figure.precision,
            )
            assert check.verdict is FigureVerdict.WITHIN or figure in check.compared, figure.id
            assert check.verdict is not FigureVerdict.IMPOSSIBLE, figure.id


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        (("400", "fast"), "'fast' in column 'value' is not a number"),
        (("valid", "good"), "'good' is not a status"),
        (("valid | -", "void | "), "does not say why"),
        (("| why |", "| reason |"), "has other columns than it should"),
    ],
)
def test_a_slip_in_the_table_is_an_error(tmp_path: Path, cell: tuple[str, str], said: str) -> None:
    """A malformed figure is an error with its line, never a figure left out."""
    columns = [
        "id",
        "model",
        "hardware",
        "chips",
        "devices",
        "precision",
        "config",
        "value",
        "unit",
        "per",
        "status",
        "why",
        "source",
        "date",
    ]
    row = "f | llama | v6e-8 | 8 | 8 | bf16 | c | 400 | TFLOP/s | device | valid | - | https://example.org/a | 2026-01-01"
    table = f"\n### table: figures\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n| {row} |\n"
    write_base(tmp_path, claim() + table.replace(*cell))
    with pytest.raises(UsageError, match=said) as caught:
        _ = opened(tmp_path).baselines
    assert caught.value.location is not None

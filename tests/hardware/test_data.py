"""The chip files: complete, sourced, readable; a broken one is named."""

from pathlib import Path

import pytest

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import data_directory
from tpuguru.facts.factset import Facts
from tpuguru.hardware.chips import Chip, all_chips, chip, normalise
from tpuguru.hardware.data import read_chip
from tpuguru.hardware.facts import hardware_facts
from tpuguru.hardware.names import parse_slice

H20 = (data_directory("hardware") / "h20.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize("known", all_chips(), ids=lambda known: known.name)
def test_each_figure_has_a_source_with_address_and_date(known: Chip) -> None:
    """A number without a source does not leave the program."""
    for figure in known.figures.values():
        assert figure.source.url.startswith("https://")
        assert len(figure.source.date) == len("2026-12-01")
        assert figure.value >= 0


@pytest.mark.parametrize("known", all_chips(), ids=lambda known: known.name)
def test_each_chip_has_the_figures_that_rules_lean_on(known: Chip) -> None:
    """Memory and the bf16 peak are what almost every judgement needs."""
    facts = Facts(hardware_facts(known))
    for name in (
        "hw.chip",
        "hw.kind",
        "hw.hbm",
        "hw.peak_flops_bf16",
        "hw.hbm_bandwidth",
        "hw.devices_per_chip",
    ):
        assert facts.get(name).known, name


def test_no_two_chips_share_a_name() -> None:
    """A name that means two chips would silently mean the wrong one."""
    names = [
        (normalise(name), known.name)
        for known in all_chips()
        for name in {normalise(name) for name in known.every_name()}
    ]
    assert len({name for name, _ in names}) == len(names)


def test_published_anchors() -> None:
    """The figures of the compiler and of nvidia-smi, in bytes."""
    expected = {"tpu7x": 94.74, "v6e": 31.24, "v5e": 15.75, "v5p": 95.73, "v4": 30.75, "h20": 95.58}
    for name, gib in expected.items():
        assert chip(name).hbm_per_device / 2**30 == pytest.approx(gib, abs=0.005)
    assert chip("h20").hbm_per_device == 97_871 * 2**20


def test_what_nobody_published_is_unknown_and_says_what_is_needed() -> None:
    """tpu7x has no int8 figure: unknown, not zero."""
    value = Facts(hardware_facts(parse_slice("tpu7x-8"))).get("hw.peak_flops_int8")
    assert not value.known
    assert "hardware/tpu7x.toml" in str(value.value)


def test_slice_facts_name_their_unit() -> None:
    """tpu7x-128 is 64 chips and 128 devices."""
    facts = Facts(hardware_facts(parse_slice("tpu7x-128")))
    named = {
        name: facts.get(f"hw.{name}").value for name in ("chips", "devices", "cores", "hosts", "name_counts")
    }
    assert named == {"chips": 64, "devices": 128, "cores": 128, "hosts": 16, "name_counts": "devices"}


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        ("name = ", "cannot be read"),
        (H20.replace('name = "h20"', 'name = "h21"'), "is not the file's name"),
        (H20.replace('kind = "gpu"', 'kind = "cpu"'), "'cpu' is none of tpu, gpu"),
        (H20.replace("hbm_per_device", "hbm_for_device"), "no figure hbm_per_device"),
        (H20.replace('source = "spec"', 'source = "rumour"'), "rumour"),
        (H20.replace('level = "number"', 'level = "hearsay"'), "hearsay"),
        (H20.replace("[topologies]", "[shapes]"), "topologies"),
    ],
)
def test_a_broken_chip_file_is_named(tmp_path: Path, broken: str, said: str) -> None:
    """An expert's typo ends in one sentence with the file, never in a traceback or a silent gap."""
    path = tmp_path / "h20.toml"
    path.write_text(broken, encoding="utf-8")
    with pytest.raises(UsageError, match=r"chip file h20\.toml") as caught:
        read_chip(path)
    assert said in caught.value.message

"""Every row of what JAX must do on a virtual slice, on a tpu7x:2x2x1 with the real compiler."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.slice.conftest import Rehearse, Run, assert_passed, checks_of, verdicts

from tpuguru.slice.record_reader import read_records

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]


@pytest.fixture(scope="module")
def run(rehearse: Rehearse) -> Run:
    """All checks in one process, as their own program would run them."""
    return rehearse("--slice", "tpu7x:2x2x1", program="jax_checks.py")


@pytest.fixture(scope="module")
def results(run: Run) -> dict[str, dict[str, Any]]:
    """The program's own verdicts, by check."""
    return verdicts(run)


@pytest.mark.parametrize("name", checks_of("jax_checks.py"))
def test_check(results: dict[str, dict[str, Any]], name: str, run: Run) -> None:
    """The check's own assertions hold inside the rehearsed program."""
    assert_passed(results, name, run)


def test_the_slice_is_what_libtpu_describes(results: dict[str, dict[str, Any]]) -> None:
    """Eight devices with the memory that libtpu gives a program on a tpu7x."""
    assert results["devices"]["detail"] == {
        "count": 8,
        "kind": "TPU7x",
        "slice_index": 0,
        "limit": 101724450816,
        "process_count": 1,
    }


def test_the_version_ends_with_the_date_of_libtpu(run: Run) -> None:
    """JAX reads there how old libtpu is, and lowers no Pallas kernel for one without a date; ours is said before."""
    [client] = read_records(Path(run.report["folder"]) / "records").clients
    assert "virtual slice" in client.platform_version
    assert client.platform_version.splitlines()[-1].startswith("Built on")


def test_big_parameters_take_no_host_memory(results: dict[str, dict[str, Any]]) -> None:
    """32 GiB of parameters are accounted (4 GiB a device) while the process stays below 2 GiB."""
    detail = results["parameters_bigger_than_this_machine"]["detail"]
    assert detail["held"] == 4 * 2**30
    assert detail["rss"] < 2 * 2**30


def test_the_device_is_full_where_the_chip_is(results: dict[str, dict[str, Any]]) -> None:
    """Of arrays of 8 GiB, 11 fit into 94.74 GiB."""
    assert results["a_full_device_says_so"]["detail"]["count"] == 11


def test_the_report_holds_what_happened(run: Run) -> None:
    """The report's peak, programs, error and timeline are those of the run."""
    assert run.code == 0, run.stderr[-2000:]
    report = run.report
    assert report["slice"] == {
        "topology": "tpu7x:2x2x1",
        "slices": 1,
        "devices": 8,
        "device_kind": "TPU7x",
        "processes": 1,
    }
    assert max(device["peak"] for device in report["devices"]) >= 88 * 2**30
    assert all(device["exact"] for device in report["devices"])
    assert any("Out of device memory" in error["message"] for error in report["errors"])
    names = {program["name"] for program in report["programs"]}
    assert "jit_flash_attention" in names
    points = report["timeline"]["devices"][0]["points"]
    assert max(point["during"] for point in points) >= 88 * 2**30
    assert [point["seconds"] for point in points] == sorted(point["seconds"] for point in points)


def test_unknown_values_are_named_with_their_line_and_reason(run: Run) -> None:
    """Whoever reads what only a TPU can compute is told where and why."""
    reads = [each for each in run.report["unknown_reads"] if each["maker"] == "jit__reduce_sum"]
    assert "too big to compute here" in reads[0]["reason"]
    assert re.search(r"jax_checks\.py:\d+$", reads[0]["python"])
    assert any("operation tpu.prng_set_seed_32" in each["reason"] for each in run.report["unknown_reads"])


def test_programs_are_kept_as_text_and_bytes(run: Run) -> None:
    """For the artifact reader: StableHLO, options, optimised HLO and facts of every program."""
    records = Path(run.report["folder"]) / "records" / "programs"
    program = next(each for each in run.report["programs"] if each["name"] == "jit_flash_attention")
    folder = records / program["folder"]
    assert "tpu_custom_call" in (folder / "optimized_hlo.txt").read_text(encoding="utf-8")
    assert "func.func public @main" in (folder / "program.mlir").read_text(encoding="utf-8")
    facts = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    assert facts["memory"]["argument"] == program["arguments"]
    assert (folder / "options.pb").stat().st_size > 0


def test_a_second_rehearsal_compiles_nothing(rehearse: Rehearse, run: Run) -> None:
    """What an earlier run compiled is taken over, whole: memory figures and texts included."""
    again = rehearse("--slice", "tpu7x:2x2x1", program="jax_checks.py", arguments=("sharded_jit", "donation"))
    assert run.code == again.code == 0
    assert again.report["compile_seconds"] == 0
    assert all(program["cached"] for program in again.report["programs"])
    before = {program["folder"]: program["peak"] for program in run.report["programs"]}
    assert all(before[program["folder"]] == program["peak"] for program in again.report["programs"])

"""Pastes of every kind are read in one pass: values, lines, formats."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.units import GiB, MiB
from tpuguru.telemetry.scan import Scan, scan
from tpuguru.telemetry.source import chunks, open_paste, plain


def read(text: str) -> Scan:
    return scan([plain(text.encode())])


def test_maxtext_step_lines_give_time_rate_and_loss() -> None:
    """The first step holds the compile, so the median leaves it out."""
    text = "".join(
        f"completed step: {step}, seconds: {seconds}, TFLOP/s/device: 400.5, Tokens/s/device: 7000.0,"
        f" total_weights: 65536, loss: {10 - step}\n"
        for step, seconds in enumerate([90.0, 3.0, 3.2, 3.1])
    )
    seen = read(text).observation
    assert seen.formats == ["maxtext"]
    assert seen.step_seconds.first == 90.0
    assert seen.step_seconds.median(skip_first=True) == 3.1
    assert seen.step_seconds.highest_after_first == 3.2
    assert seen.flop_rate.median() == pytest.approx(400.5e12)
    assert (seen.loss.first, seen.loss.last) == (10.0, 7.0)


def test_megatron_and_torchtitan_lines() -> None:
    """Megatron counts per GPU in milliseconds, TorchTitan per device with thousands separators."""
    megatron = (
        " iteration 7/ 500 | elapsed time per iteration (ms): 1500.0 | throughput per GPU (TFLOP/s/GPU): 420.0"
        " | lm loss: 2.5E+00 | grad norm: nan |\n"
    )
    titan = "[rank0]: step: 10  loss:  8.125  grad_norm:  1.5  memory: 0.5GiB(1%)  tps: 12,345  tflops: 55.5  mfu: 6.05%\n"
    seen = read(megatron).observation
    assert seen.step_seconds.first == 1.5
    assert seen.grad_norm.not_finite == 1
    seen = read(titan).observation
    assert seen.token_rate.first == 12345.0
    assert seen.mfu.first == pytest.approx(0.0605)


def test_memory_statements_name_their_space() -> None:
    """HBM, VMEM and SMEM want different remedies, so the space is never guessed from the size."""
    text = (
        "RESOURCE_EXHAUSTED: E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO"
        " temporaries (39.25G) exceeds available HBM (31.24G). HLO module: jit_train_step.\n"
        "Scoped allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M.\n"
        "memory space smem used 1.00M of 1.00M, exceeded by 1.7K\n"
        "Used 33.27G of 30.75G hbm. Exceeded hbm capacity by 2.52G.\n"
    )
    spaces = [(item.space, item.line) for item in read(text).observation.memory]
    assert spaces == [("hbm", 1), ("vmem", 2), ("smem", 3), ("hbm", 4)]
    first = read(text).observation.memory[0]
    assert first.used == pytest.approx(39.25 * GiB)
    assert first.limit == pytest.approx(31.24 * GiB)
    assert read(text).observation.memory[1].used == pytest.approx(45.54 * MiB)


def test_error_codes_status_and_exception() -> None:
    """An error's own code comes before what surrounds it."""
    text = (
        'Traceback (most recent call last):\n  File "a.py", line 1\n'
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: E1001: CompileTimeScopedVmemOom: Ran out of memory while"
        " allocating on stack for %splash_mha_dkv.1 = bf16[16,128]{1,0} custom-call\n"
    )
    seen = read(text).observation
    assert seen.error_codes == ["E1001"]
    assert seen.error_status == "RESOURCE_EXHAUSTED"
    assert seen.exception == "JaxRuntimeError"
    assert seen.failing_op == "%splash_mha_dkv.1"
    assert seen.failing_shape.startswith("bf16[16,128]")


def test_settings_and_figures_in_prose() -> None:
    """People mix flags, config lines and sentences."""
    text = (
        "vllm serve X --gpu-memory-utilization 0.977 --kv-cache-dtype=fp8 --enforce-eager --port 80\n"
        "quantization=int8 sparse_matmul=True\n"
        "we measured 2,400 TFLOP/s per chip and 45.5% MFU\n"
    )
    seen = read(text).observation
    quoted = {item.key: item.value for item in seen.settings}
    assert quoted["gpu_memory_utilization"] == "0.977"
    assert quoted["kv_cache_dtype"] == "fp8"
    assert quoted["enforce_eager"] == ""
    assert quoted["quantization"] == "int8"
    rate = next(item for item in seen.figures if item.quantity == "flop_rate")
    assert (rate.value, rate.per, rate.line) == (2.4e15, "chip", 3)
    assert seen.mfu.first == pytest.approx(0.455)


def test_colours_carriage_returns_and_secrets() -> None:
    """Terminal colours do not hide a step, and a token never reaches the excerpt."""
    text = "\x1b[32mcompleted step: 1, seconds: 2.0, TFLOP/s/device: 1.0, loss: 1\x1b[0m\r\nHF_TOKEN=hf_abcdefghijklmnopqrstuvwxyz\n"
    seen = read(text)
    assert seen.observation.step_seconds.count == 1
    assert "hf_abcdefghijklmnop" not in seen.excerpt.text()


def test_long_logs_keep_line_numbers_and_telling_lines(tmp_path: Path) -> None:
    """Past the size of a paste only telling lines are quoted, with their true line numbers."""
    noise = "I1201 worker heartbeat ok\n" * 60_000
    log = tmp_path / "log.txt.gz"
    log.write_bytes(gzip.compress((noise + "E0001 ValueError: the one that matters\n" + noise).encode()))
    with open_paste(str(log)) as file:
        seen = scan(chunks(file, str(log)))
    assert seen.lines == 120_001
    assert seen.excerpt.lines[60_001] == "E0001 ValueError: the one that matters"


def test_empty_and_binary_input_are_refused_in_one_sentence(tmp_path: Path) -> None:
    """Nothing to read is not success, and a binary is not a log."""
    empty, binary = tmp_path / "empty", tmp_path / "binary"
    empty.write_bytes(b"")
    binary.write_bytes(bytes(range(256)) * 16)
    with open_paste(str(empty)) as file, pytest.raises(NothingToCheckError):
        scan(chunks(file, "empty"))
    with open_paste(str(binary)) as file, pytest.raises(UsageError, match="binary"):
        scan(chunks(file, "binary"))


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=2000))
def test_any_text_is_read_without_a_crash(text: str) -> None:
    """Readers see whatever people paste."""
    read(text)

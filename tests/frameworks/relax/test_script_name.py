"""What a file name states: model, size, devices, mode, modality."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.frameworks.relax.script_name import read_script_name


@pytest.mark.parametrize(
    ("path", "model", "gpus", "accelerator", "modality", "is_async"),
    [
        ("run-qwen3-4B-8xgpu.sh", "qwen3-4B", 8, "gpu", "text", False),
        ("a/b/run-qwen35-35B-A3B-16xgpu-async.sh", "qwen35-35B-A3B", 16, "gpu", "text", True),
        ("run-qwen36-35B-A3B-8xgpu-image.sh", "qwen36-35B-A3B", 8, "gpu", "mm", False),
        ("run-qwen3-30B-A3B-omni-16xgpu-video.sh", "qwen3-30B-A3B", 16, "gpu", "video", False),
        ("run-qwen3-0.6B-ultrafeedback-1xgpu.sh", "qwen3-0.6B", 1, "gpu", "text", False),
        ("run-qwen35-9B-16xnpu-cp.sh", "qwen35-9B", 16, "npu", "text", False),
        ("run-qwen36-27B-8xklx.sh", "qwen36-27B", 8, "klx", "text", False),
        ("run-kimi-k2.6-256xgpu-int4.sh", "kimi-k2.6", 256, "gpu", "text", False),
        ("run_qwen35-35B-pokemon-sft-8xnpu.sh", "qwen35-35B", 8, "npu", "mm", False),
        ("train.sh", "train", None, "", "text", False),
        ("<stdin>", "<stdin>", None, "", "text", False),
    ],
)
def test_parts_of_a_name(
    path: str, model: str, gpus: int | None, accelerator: str, modality: str, *, is_async: bool
) -> None:
    """Each part of the naming scheme is found, and nothing is made up."""
    name = read_script_name(path)
    found = (name.model, name.gpus, name.accelerator, name.modality, name.is_async)
    assert found == (model, gpus, accelerator, modality, is_async)


def test_the_size_is_of_all_parameters_not_of_the_active_ones() -> None:
    """«35B-A3B» has 35 billion parameters."""
    assert read_script_name("run-qwen35-35B-A3B-8xgpu.sh").parameters == 35e9


def test_a_debugging_script_says_so() -> None:
    """Hygiene rules are silent on scripts made for debugging."""
    assert read_script_name("run-llama3-8b-2xgpu-debug.sh").is_debug
    assert not read_script_name("run-llama3-8b-2xgpu.sh").is_debug


@given(st.text(max_size=200))
def test_any_text_is_a_name(path: str) -> None:
    """No file name is an error."""
    read_script_name(path)

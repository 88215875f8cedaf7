"""Protos and bytecode become text in the toolchain's own interpreter."""

import subprocess
from pathlib import Path

import pytest
from tests.toolchain import toolchain_python

from tpuguru.artifacts.conversion import with_text
from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.request import ExtractRequest
from tpuguru.base.errors import ToolFailureError

# A JAX program of our own: scores and a softmax over them, four layers in a loop.
PROGRAM = """
import io, os, sys
os.environ["JAX_PLATFORMS"] = "cpu"
import jax, jax.numpy as jnp
from jax import export

def step(x, w):
    layer = lambda x, _: (jax.nn.softmax(jnp.einsum("bhqd,bhkd->bhqk", x @ w, x)) @ x, None)
    return jax.lax.scan(layer, x, None, length=4)[0]

shapes = jax.ShapeDtypeStruct((2, 2, 64, 64), jnp.float32), jax.ShapeDtypeStruct((64, 64), jnp.float32)
compiled = jax.jit(step).lower(*shapes).compile()
open(sys.argv[1] + "/module.hlo.pb", "wb").write(
    compiled.runtime_executable().hlo_modules()[0].as_serialized_hlo_module_proto()
)
open(sys.argv[1] + "/program.mlirbc", "wb").write(export.export(jax.jit(step))(*shapes).mlir_module_serialized)
"""


@pytest.mark.toolchain
def test_slice_record_in_binary(tmp_path: Path) -> None:
    """A record with a proto and bytecode only is read whole once it is converted, and says so before."""
    python = toolchain_python()
    program, text = tmp_path / "programs" / "abc", tmp_path / "text"
    program.mkdir(parents=True)
    text.mkdir()
    subprocess.run([str(python), "-c", PROGRAM, str(program)], check=True, timeout=120, capture_output=True)
    (program / "facts.json").write_text(
        '{"memory": {"argument": 1, "output": 1, "alias": 0, "temp": 1}, "num_partitions": 1}'
    )
    before = {item.what: item.because for item in extract_folder(tmp_path).missing}
    assert "--toolchain" in before["the optimised HLO"]
    assert "--toolchain" in before["what the program asked for (StableHLO)"]
    said: list[str] = []
    request = with_text(tmp_path, ExtractRequest(), python, text, said.append)
    extract = extract_folder(tmp_path, request)
    assert said == ["converting protos and bytecode to text in the toolchain"]
    assert extract.program.stage == "final"
    assert extract.code_path.attention == "dot-product"
    assert {(dot.lhs, dot.rhs, dot.out) for dot in extract.code_path.dots.stablehlo or ()} == {
        ("f32", "f32", "f32")
    }
    matmul, product = 2 * 2 * 2 * 64 * 64 * 64, 4  # one [2,2,64,64] × [64,64], loop trips
    assert extract.code_path.dots.flops_per_step == 3 * matmul * product


def test_broken_interpreter_is_a_tool_failure(tmp_path: Path) -> None:
    """An interpreter that is not there or says nothing is one sentence, not a traceback."""
    (tmp_path / "module_0001.jit_f.cl_1.after_optimizations.hlo.pb").write_bytes(b"\n\x03abc")
    silent = tmp_path / "python"
    silent.write_text("#!/bin/sh\nexit 3\n")
    silent.chmod(0o755)
    for python in (tmp_path / "gone", silent):
        with pytest.raises(ToolFailureError):
            with_text(tmp_path, ExtractRequest(), python, tmp_path, lambda _: None)

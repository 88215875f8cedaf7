"""Small launches through the real compiler, and what their artifacts say, each compiled once a test session."""

import os
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from tests.toolchain import toolchain_python

from tpuguru.aot.runs import run
from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.facts import compiled_facts
from tpuguru.artifacts.request import ExtractRequest, MeshAxis
from tpuguru.facts.factset import Facts
from tpuguru.frameworks.maxtext.facts import derive
from tpuguru.frameworks.maxtext.job import plan_job
from tpuguru.frameworks.maxtext.target import target_of
from tpuguru.launch.model import Launch
from tpuguru.launch.reader import read_paste
from tpuguru.report.check.compiled import extract_run
from tpuguru.report.lint.run import launches_of

PROGRAMS = Path(__file__).with_name("programs")
ENTRY = "python3 -m maxtext.trainers.pre_train.train_compile maxtext/configs/base.yml"
_COMMON = "dataset_type=synthetic enable_checkpointing=False per_device_batch_size=1 max_target_length=1024"
_TINY = (
    f"{_COMMON} model_name=llama3.1-8b override_model_config=True base_num_decoder_layers=2 base_emb_dim=512 "
    "base_mlp_dim=1024 base_num_query_heads=4 base_num_kv_heads=2 head_dim=128 vocab_size=65536"
)
_TILES = " ".join(
    f"{side}_tile_{way}_mlp_dim=256" for side in ("wi", "wo") for way in ("fwd", "dlhs", "drhs")
)
_EXPERTS = (
    f"{_COMMON} model_name=qwen3-30b-a3b override_model_config=True base_num_decoder_layers=2 base_emb_dim=512 "
    "base_mlp_dim=256 base_moe_mlp_dim=256 num_experts=8 num_experts_per_tok=2 base_num_query_heads=8 "
    f"base_num_kv_heads=4 vocab_size=4096 {_TILES}"
)
_OFFLOAD = (
    "remat_policy=custom decoder_layer_input=offload query_proj=offload key_proj=offload value_proj=offload"
)

LAUNCHES = {
    # Everything as it should be: splash, fsdp over four chips, full remat, float32 state.
    "dense": f"{_TINY} attention=flash remat_policy=full compile_topology=v6e-4",
    # Plain attention, bfloat16 state, whole on every device.
    "plain": f"{_TINY} attention=dot_product remat_policy=none weight_dtype=bfloat16 ici_fsdp_parallelism=1 "
    "ici_data_parallelism=4 compile_topology=v6e-4",
    # Experts over two devices, int8 that does not reach them, two tensors offloaded.
    "experts": f"{_EXPERTS} attention=flash sparse_matmul=True megablox=True ici_fsdp_parallelism=2 "
    "ici_expert_parallelism=2 quantization=int8 use_qwix_quantization=True remat_policy=custom "
    "decoder_layer_input=offload mlpwo=offload compile_topology=v6e-4",
    # A published recipe that this stack's compiler finds too large: an offloaded stack comes back whole.
    "too-large": "dataset_type=synthetic enable_checkpointing=False model_name=llama3.1-8b per_device_batch_size=3 "
    f"max_target_length=8192 attention=flash {_OFFLOAD} out_proj=offload compile_topology=v6e-8",
}
"""Launches that are compiled."""


@dataclass(frozen=True, slots=True)
class Compiles:
    """Compiles on demand into one store, which the workers of a parallel test run share."""

    state: Path

    def facts(self, name: str) -> Facts:
        """Return the COMPILED facts of a launch or program."""
        return (
            _program_facts(self.state, name) if name in _PROGRAM_MESHES else _launch_facts(self.state, name)
        )


def launch(words: str, flags: str = "") -> Launch:
    """Return a launch of ``key=value`` words."""
    text = f'#!/bin/bash\nexport LIBTPU_INIT_ARGS="{flags}"\n{ENTRY} {words}\n'
    (found,) = launches_of(read_paste(text, "run.sh"))
    return found


def said(words: str, flags: str = "") -> Facts:
    """Return the SAID facts of ``key=value`` words."""
    return derive(launch(words, flags))


@cache
def _launch_facts(state: Path, name: str) -> Facts:
    toolchain_python()
    made = launch(LAUNCHES[name])
    target = target_of(made, "")
    assert target is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        record = run(plan_job(made, target, "maxtext==0.2.5").job)
        extract = extract_run(record, made, target.slice.chip.hbm_per_device, lambda _message: None)
    return compiled_facts(extract)


_PROGRAM_MESHES = {"wasteful_step": (1, ()), "sliced_step": (2, (MeshAxis("fsdp", 2), MeshAxis("data", 4)))}


@cache
def _program_facts(state: Path, name: str) -> Facts:
    folder = state / name
    slices, mesh = _PROGRAM_MESHES[name]
    environment = {
        **os.environ,
        "TPU_SKIP_MDS_QUERY": "1",
        "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        "JAX_PLATFORMS": "cpu",
    }
    command = [str(toolchain_python()), str(PROGRAMS / f"{name}.py"), str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return compiled_facts(extract_folder(folder, ExtractRequest(mesh=mesh, slices=slices)))

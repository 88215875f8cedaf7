"""What the real compiler writes is read whole: one small mixture of experts, and one program that does not fit."""

from pathlib import Path

import pytest
from tests.toolchain import toolchain_python

from tpuguru.aot.job import AotJob, CompilerFlags, Target
from tpuguru.aot.record import RunRecord
from tpuguru.aot.runs import run
from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.facts import compiled_facts
from tpuguru.artifacts.model import Extract
from tpuguru.artifacts.request import ExtractRequest

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

LAYERS, EXPERTS_AXIS = 2, 2
MOE = {
    "model_name": "qwen3-30b-a3b",
    "override_model_config": "True",
    "base_num_decoder_layers": str(LAYERS),
    "base_emb_dim": "512",
    "base_mlp_dim": "256",
    "base_moe_mlp_dim": "256",
    "num_experts": "8",
    "num_experts_per_tok": "2",
    "base_num_query_heads": "8",
    "base_num_kv_heads": "4",
    "vocab_size": "4096",
    "per_device_batch_size": "1",
    "max_target_length": "1024",
    "attention": "flash",
    "sparse_matmul": "True",
    "megablox": "True",
    "quantization": "int8",
    "use_qwix_quantization": "True",
    "remat_policy": "custom",
    "decoder_layer_input": "offload",
    "ici_fsdp_parallelism": "2",
    "ici_expert_parallelism": str(EXPERTS_AXIS),
    **{f"{side}_tile_{way}_mlp_dim": "256" for side in ("wi", "wo") for way in ("fwd", "dlhs", "drhs")},
}
# A published launch (Trillium recipes, Llama3.1-8B on v6e-8) that this stack no longer fits.
OOM = {
    "model_name": "llama3.1-8b",
    "per_device_batch_size": "3",
    "max_target_length": "8192",
    "attention": "flash",
    "remat_policy": "custom",
    "decoder_layer_input": "offload",
    "query_proj": "offload",
    "key_proj": "offload",
    "value_proj": "offload",
    "out_proj": "offload",
    "sa_use_fused_bwd_kernel": "True",
    "ici_fsdp_parallelism": "-1",
}


def compiled(words: dict[str, str], topology: str, state: Path, *flags: str) -> RunRecord:
    """Compile with MaxText in the toolchain and return the run."""
    toolchain_python()
    job = AotJob(
        toolchain="maxtext==0.2.5",
        target=Target(topology),
        config_name="base.yml",
        overrides=(*words.items(), ("dataset_type", "synthetic"), ("enable_checkpointing", "False")),
        flags=CompilerFlags(libtpu_init_args=flags),
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(state))
        return run(job)


@pytest.fixture(scope="module")
def moe(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, Extract]:
    """The run and the extract of the mixture of experts."""
    record = compiled(MOE, "v6e-4", tmp_path_factory.mktemp("moe"), "--xla_tpu_scoped_vmem_limit_kib=65536")
    return record, extract_folder(record.folder)


def test_nothing_is_missing(moe: tuple[RunRecord, Extract]) -> None:
    """A whole run of the real compiler leaves nothing untold."""
    _, extract = moe
    assert extract.missing == ()
    assert (extract.outcome.status, extract.target.chip, extract.program.partitions) == ("compiled", "v6e", 4)


def test_figures_are_the_compilers_own(moe: tuple[RunRecord, Extract]) -> None:
    """The fit figure is the compiler's; the buffer assignment alone gives it to within its late stack."""
    record, extract = moe
    assert record.memory is not None
    assert extract.memory.fit_bytes == record.memory.fit_bytes
    alone = extract_folder(record.folder / "dump", ExtractRequest(memory_stats={})).memory
    assert (alone.argument_bytes, alone.output_bytes, alone.alias_bytes) == (
        record.memory.argument,
        record.memory.output,
        record.memory.alias,
    )
    assert extract.memory.parameters.bytes == record.memory.argument
    assert extract.memory.host_temporary_bytes == extract.code_path.host_offload.kept_bytes
    assert extract.memory.peak_live_bytes is not None
    assert extract.memory.peak_live_bytes <= (extract.memory.fit_bytes or 0) + 2**20


def test_code_path(moe: tuple[RunRecord, Extract]) -> None:
    """Splash attention and megablox run once a layer and pass; int8 reaches the dense dots but not the experts."""
    _, extract = moe
    path = extract.code_path
    assert (path.attention, path.moe) == ("splash", "megablox")
    runs = {kernel.name: kernel.executions_per_step for kernel in path.kernels}
    assert runs["splash_mha_fwd_segmented_residuals"] == 2 * LAYERS
    assert runs["splash_mha_dq_segmented_no_residuals"] == LAYERS
    assert runs["tgmm"] == 3 * LAYERS
    facts = compiled_facts(extract)
    assert facts.get("compiled.grouped_matmul.dtypes").value == ("bf16",)
    int8 = facts.get("compiled.dots.int8").value
    assert isinstance(int8, int)
    assert int8 > 0


def test_offloaded_stack_stays_on_the_host(moe: tuple[RunRecord, Extract]) -> None:
    """The layer inputs are annotated, kept in host memory, and come back once, slice by slice."""
    _, extract = moe
    host = extract.code_path.host_offload
    stack = LAYERS * 1024 * 512 * 2  # layers × tokens of a device × width × bf16
    assert (host.annotated, host.copied_back) == (1, ())
    assert host.host_to_device_bytes_per_step == stack
    # With the loops unrolled the compiler keeps one layer's input in a host buffer of its own besides.
    assert stack <= host.kept_bytes <= stack + stack // LAYERS
    assert stack <= host.device_to_host_bytes_per_step <= stack + stack // LAYERS


def test_experts_exchange_tokens_over_their_axis(moe: tuple[RunRecord, Extract]) -> None:
    """Ragged all-to-all runs over the expert axis; every collective has axes by name."""
    _, extract = moe
    assert all(item.axes for item in extract.collectives.run)
    ragged = [item for item in extract.collectives.run if item.kind == "ragged-all-to-all"]
    assert {item.axes for item in ragged} == {("expert",)}
    assert {item.group_size for item in ragged} == {EXPERTS_AXIS}
    asked = {item.kind: item.count for item in extract.collectives.asked or ()}
    assert asked["ragged-all-to-all"] * LAYERS == sum(item.executions_per_step for item in ragged)


def test_flag_is_in_force(moe: tuple[RunRecord, Extract]) -> None:
    """The flag of LIBTPU_INIT_ARGS is found in force, and as the one that is not at its default."""
    _, extract = moe
    assert {check.name: check.status for check in extract.flags.requested} == {
        "xla_tpu_scoped_vmem_limit_kib": "same"
    }
    assert extract.flags.notable["xla_tpu_scoped_vmem_limit_kib"].startswith("65536")


@pytest.fixture(scope="module")
def oom(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunRecord, Extract]:
    """The run and the extract of the program that does not fit."""
    record = compiled(OOM, "v6e-8", tmp_path_factory.mktemp("oom"))
    return record, extract_folder(record.folder)


def test_out_of_memory_is_explained(oom: tuple[RunRecord, Extract]) -> None:
    """A program that does not fit has its E-code, and its own arithmetic agrees with the compiler's message."""
    _, extract = oom
    error = extract.outcome.error
    assert error is not None
    assert (extract.outcome.status, error.code, error.space) == ("out-of-memory", "E1000", "hbm")
    assert error.required_bytes is not None
    assert extract.memory.fit_bytes == pytest.approx(error.required_bytes, abs=0.006 * 2**30)
    assert extract.memory.headroom_bytes is not None
    assert extract.memory.headroom_bytes < 0
    stack = next(buffer for buffer in extract.memory.largest if buffer.dimensions == (32, 3, 8192, 4096))
    assert stack.bytes == 6 * 2**30


def test_undone_offload_is_seen(oom: tuple[RunRecord, Extract]) -> None:
    """Two of the five offloaded stacks come back to the device whole, and no separate dq kernel runs."""
    _, extract = oom
    host = extract.code_path.host_offload
    assert (host.annotated, host.kept_buffers) == (5, 5)
    assert [(copy.shape, copy.bytes) for copy in host.copied_back] == [
        ("bf16[32,3,8192,4096]", 6 * 2**30)
    ] * 2
    facts = compiled_facts(extract)
    assert facts.get("compiled.offload.copied_back").value == 12 * 2**30
    assert facts.get("compiled.attention.dq_kernel").value is False

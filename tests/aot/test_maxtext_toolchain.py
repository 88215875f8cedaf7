"""MaxText itself and the real TPU compiler, on models of two narrow layers."""

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.aot import toy
from tests.toolchain import toolchain_python

from tpuguru.aot import runs
from tpuguru.aot.job import AotJob, CompilerFlags, Step, Target
from tpuguru.aot.proofs import DeadSettingProof, ProofReport, ProveLevel, Verdict, prove
from tpuguru.aot.record import FailureKind, MemoryAnalysis, RunState

pytestmark = pytest.mark.toolchain

_FIELDS = {
    "argument": "argument_size",
    "output": "output_size",
    "temporary": "temp_size",
    "alias": "alias_size",
    "generated_code": "generated_code_size",
    "host_argument": "host_argument_size",
    "host_output": "host_output_size",
    "host_temporary": "host_temp_size",
    "host_alias": "host_alias_size",
    "host_generated_code": "host_generated_code_size",
}
# A mixture-of-experts model as narrow as the dense one.
_EXPERTS = {
    "model_name": "qwen3-30b-a3b",
    "base_moe_mlp_dim": "256",
    "num_experts": "4",
    "num_experts_per_tok": "2",
}


def bare_train_compile(job: AotJob, folder: Path) -> str:
    """Run MaxText's own train_compile as a user would, and return what it prints."""
    folder.mkdir()
    words = [f"{key}={value}" for key, value in job.overrides]
    target = [f"compile_topology={job.target.topology}", "compile_topology_num_slices=1"]
    done = subprocess.run(
        [
            *(toolchain_python(), "-m", "maxtext.trainers.pre_train.train_compile"),
            *("src/maxtext/configs/base.yml", *words, *target, f"dump_hlo_local_dir={folder}"),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "JAX_PLATFORMS": "cpu",
            "TPU_SKIP_MDS_QUERY": "1",
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
        },
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


def memory_printed(output: str) -> MemoryAnalysis:
    """Read the memory statistics that train_compile prints."""
    printed = dict(re.findall(r"(\w+)_in_bytes=(\d+)", output))
    return MemoryAnalysis(
        **{ours: int(printed[theirs]) for ours, theirs in _FIELDS.items() if theirs in printed}
    )


def program_of(dump: Path) -> str:
    """Return a dumped module without the tables of source locations, where our worker shows instead of MaxText's."""
    head, _, body = dump.read_text().partition("\nFileNames")
    first = re.search(r"(?m)^(?:%|ENTRY)", body)
    assert first is not None
    return head + re.sub(r" ?stack_frame_id=\d+", "", body[first.start() :])


@pytest.mark.slow
def test_numbers_are_those_of_a_bare_train_compile(real_job: AotJob, tmp_path: Path) -> None:
    """The worker does not change what is compiled: every byte count is the one that MaxText's own tool prints."""
    record = runs.run(real_job)
    assert record.state is RunState.SUCCEEDED, record.failure
    bare = memory_printed(bare_train_compile(real_job, tmp_path / "bare"))
    assert bare.argument > 0
    assert record.memory is not None
    assert replace(record.memory, peak=0) == bare  # the peak is not printed
    (ours,) = (record.folder / "dump").glob("*.after_optimizations.txt")
    (theirs,) = (tmp_path / "bare").rglob("*jit_train_step*.after_optimizations.txt")
    assert program_of(ours) == program_of(theirs)
    dumped = {path.name.partition(".cl_")[2].partition(".")[2] for path in (record.folder / "dump").iterdir()}
    assert {
        "after_optimizations.txt",
        "after_optimizations.hlo.pb",
        "after_optimizations-buffer-assignment.txt",
        "after_optimizations-live-range.txt",
        "after_optimizations-memory-usage-report.txt",
        "flagfile",
        "tpu_comp_env.txt",
        "execution_options.txt",
        "transfer_stats.txt",
    } <= dumped


def test_the_same_launch_lowers_to_the_same_program_in_another_process(real_job: AotJob) -> None:
    """A hash of one process can be compared with that of another, and of a warm worker."""
    lowered = runs.run(replace(real_job, until=Step.LOWER))
    report = prove(replace(real_job, overrides=real_job.overrides), level=ProveLevel.FAST, budget_seconds=30)
    assert report.program_hash == lowered.stablehlo_sha256


@pytest.mark.parametrize(
    ("settings", "kind", "said"),
    [
        ({"fsdp_shard_on_exp": "True"}, FailureKind.CONFIG_REJECTED, "'fsdp_shard_on_exp' not in"),
        ({"ici_fsdp_parallelism": "3"}, FailureKind.CONFIG_REJECTED, "ICI parallelism"),
        ({"max_target_length": "64"}, FailureKind.LOWER_FAILED, "multiple"),
    ],
)
def test_what_maxtext_refuses_is_said_in_its_words(
    real_job: AotJob, settings: dict[str, str], kind: FailureKind, said: str
) -> None:
    """Unknown keys, mesh products and kernel limits are failures of the right kind with MaxText's message."""
    overrides = {**dict(real_job.overrides), **settings}
    record = runs.run(replace(real_job, overrides=tuple(overrides.items()), until=Step.LOWER))
    assert record.failure is not None
    assert record.failure.kind is kind
    assert said in record.failure.message


def test_a_topology_that_does_not_exist_is_refused(real_job: AotJob) -> None:
    """An unknown slice is a rejected configuration, not a crash."""
    record = runs.run(replace(real_job, target=Target("v6e-7"), until=Step.RESOLVE))
    assert record.failure is not None
    assert record.failure.kind is FailureKind.CONFIG_REJECTED
    assert "Invalid compile topology: v6e-7" in record.failure.message


@pytest.mark.parametrize(
    "flags",
    [
        CompilerFlags(libtpu_init_args=("--xla_tpu_no_such_flag=true",)),
        CompilerFlags(xla_flags=("--xla_no_such_flag=true",)),
    ],
)
def test_a_flag_that_the_compiler_does_not_take_is_named(real_job: AotJob, flags: CompilerFlags) -> None:
    """libtpu ends the process over an unknown flag; the run names the flag instead of a broken worker."""
    record = runs.run(replace(real_job, flags=flags, until=Step.LOWER))
    assert record.failure is not None
    assert record.failure.kind is FailureKind.FLAG_REJECTED
    (word,) = (*flags.libtpu_init_args, *flags.xla_flags)
    assert word.partition("=")[0].lstrip("-") in record.failure.message


def test_resolving_gives_what_pyconfig_gives(real_job: AotJob) -> None:
    """Derived values, data types and enumerations arrive as JSON values, with the part that declares them."""
    resolution = runs.resolve(real_job)
    config = resolution.config
    assert (config["emb_dim"], config["dtype"], config["remat_policy"]) == (256, "bfloat16", "full")
    assert resolution.groups["sa_block_q"] == "SplashAttention"
    assert "vocab_size" in resolution.stated


def verdicts(report: ProofReport) -> dict[str, DeadSettingProof]:
    """Return the proofs by key, once the report as a whole is sound."""
    assert report.refusal == ""
    assert report.deterministic
    return {proof.key: proof for proof in report.proofs}


@pytest.mark.slow
def test_settings_that_do_nothing_on_a_dense_model(real_job: AotJob) -> None:
    """The dead settings that are known from real recipes come out dead, with equal hashes; live ones live."""
    dead = {
        "decoder_layer_input": "offload",
        "use_qwix_quantization": "True",
        "capacity_factor": "1.25",
        "use_tokamax_gmm": "True",
        "ici_sequence_parallelism": "2",
        "sa_block_q_dq": "128",
        "use_max_logit_estimate": "30",
    }
    live = {
        "sa_use_fused_bwd_kernel": "True",
        "steps": "20",
        "learning_rate": "1e-3",
        "weight_dtype": "bfloat16",
    }
    outside = {"packing": "False", "reuse_example_batch": "1", "gcs_metrics": "True"}
    launch = toy.with_settings(real_job, remat_policy="minimal", **dead, **live, **outside)
    proofs = verdicts(prove(launch, budget_seconds=400))
    assert {key: proofs[key].verdict for key in dead} == dict.fromkeys(dead, Verdict.DEAD)
    assert {key: proofs[key].verdict for key in live} == dict.fromkeys(live, Verdict.LIVE)
    assert {key: proofs[key].verdict for key in outside} == dict.fromkeys(outside, Verdict.NOT_IN_PROGRAM)
    assert proofs["remat_policy"].verdict is Verdict.LIVE
    assert proofs["attention"].verdict is Verdict.DEFAULT
    offload = proofs["decoder_layer_input"]
    assert offload.hash_with == offload.hash_without != ""
    assert offload.tried == "remat_policy=custom"


@pytest.mark.slow
def test_names_that_the_layer_does_not_have_and_types_that_qwix_does_not_know(real_job: AotJob) -> None:
    """Offloading a tensor that is not there, and quantising with a type without a rule, change nothing."""
    launch = toy.with_settings(
        real_job,
        remat_policy="custom",
        decoder_layer_input="offload",
        mlpwo="offload",
        qkv_proj="device",
        quantization="intmp",
        use_qwix_quantization="True",
    )
    proofs = verdicts(prove(launch, budget_seconds=400))
    assert proofs["decoder_layer_input"].verdict is Verdict.LIVE
    assert proofs["remat_policy"].verdict in (Verdict.LIVE, Verdict.REJECTED_WITHOUT)
    for key in ("mlpwo", "qkv_proj", "quantization"):
        assert proofs[key].verdict is Verdict.DEAD, proofs[key]
        assert proofs[key].reason


@pytest.mark.slow
def test_settings_of_the_other_expert_path_do_nothing(real_job: AotJob) -> None:
    """A capacity with the sparse product, and a kernel choice without it, are dead."""
    experts = toy.with_settings(real_job, **_EXPERTS)
    sparse = verdicts(
        prove(toy.with_settings(experts, sparse_matmul="True", capacity_factor="1.25"), budget_seconds=400)
    )
    assert sparse["capacity_factor"].verdict is Verdict.DEAD
    assert sparse["num_experts_per_tok"].verdict is Verdict.REJECTED_WITHOUT  # the model's own 8 of 4 experts
    assert sparse["base_moe_mlp_dim"].verdict is Verdict.LIVE
    dense = verdicts(
        prove(toy.with_settings(experts, sparse_matmul="False", megablox="False"), budget_seconds=400)
    )
    assert dense["megablox"].verdict is Verdict.DEAD
    assert dense["sparse_matmul"].verdict is Verdict.LIVE


@pytest.mark.slow
def test_flags_are_proved_by_compiling(real_job: AotJob) -> None:
    """A flag that changes the optimised program is live, one that states the compiler's default is not."""
    words = ("--xla_tpu_enable_windowed_einsum_for_all_gather=false", "--xla_tpu_scoped_vmem_limit_kib=65536")
    launch = replace(real_job, overrides=real_job.overrides, flags=CompilerFlags(words))
    report = prove(launch, level=ProveLevel.ALL, budget_seconds=60)
    flags = {proof.key: proof for proof in report.proofs if proof.where == "flag"}
    assert set(flags) == {word.partition("=")[0] for word in words}
    for proof in flags.values():
        assert proof.hash_with
        assert (proof.verdict is Verdict.LIVE) == (proof.hash_with != proof.hash_without)

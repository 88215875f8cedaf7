"""From a script to facts: the last flag counts, defaults are called so, what is not known stays unknown."""

import pytest
from tests.frameworks.relax.scripts import (
    COLOCATE_8,
    example_launch,
    example_scripts,
    facts_of,
    launch_of,
    model_flags,
    number,
    unknown,
    value,
    with_option,
)

from tpuguru.base.errors import UsageError
from tpuguru.facts.origin import OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.registry import launches
from tpuguru.frameworks.relax.facts import derive
from tpuguru.launch.reader import read_paste, read_paste_file

QWEN = model_flags("qwen3-4B")


@pytest.mark.parametrize("path", example_scripts(), ids=lambda path: path.stem)
def test_every_example_gives_a_launch_with_its_model(path: object) -> None:
    """Arrays, sourced files and loops resolve: sizes of the model and resources are known in each."""
    found = launches(read_paste_file(str(path)))
    assert found
    for launch in found:
        facts = derive(launch)
        assert number(facts, "size.parameters") > 5e8
        assert number(facts, "gpus") > 0


@pytest.mark.parametrize(
    "program",
    [
        "python3 -m relax.entrypoints.train",
        "python -m relax.entrypoints.train",
        "python3 ${SCRIPT_DIR}/../../../relax/entrypoints/train.py",
        "stdbuf -oL ray job submit --address=x -- python3 -m relax.entrypoints.train",
    ],
)
def test_the_spellings_of_the_entry_point(program: str) -> None:
    """Three spellings are in use, with prefixes."""
    (launch,) = launches(read_paste(f"{program} --colocate\n"))
    assert launch.framework == "relax"
    assert launch.setting("colocate") is not None


@pytest.mark.parametrize("text", ["python3 train.py --colocate", "ray status", "python3 -m other.train"])
def test_other_programs_are_not_relax(text: str) -> None:
    """Only the entry point makes a launch."""
    assert not [launch for launch in launches(read_paste(text)) if launch.framework == "relax"]


def test_the_last_flag_on_the_command_line_counts() -> None:
    """A dispatcher in the model configuration loses against a later one."""
    facts = facts_of("--moe-token-dispatcher-type alltoall --moe-token-dispatcher-type flex")
    assert value(facts, "experts.dispatcher") == "flex"
    assert "moe-token-dispatcher-type" in (facts.get("launch.duplicate_settings").value or ())  # type: ignore[operator]


def test_a_switch_takes_no_value() -> None:
    """`--moe-grouped-gemm true` is on, and the stray word is told."""
    launch = launch_of("--moe-grouped-gemm true --colocate")
    assert value(derive(launch), "experts.grouped_gemm") is True
    assert any("true belongs to no flag" in note.message for note in launch.notes)


def test_allgather_is_read_as_alltoall() -> None:
    """Relax rewrites the dispatcher before it starts."""
    assert value(facts_of("--moe-token-dispatcher-type allgather"), "experts.dispatcher") == "alltoall"


def test_expert_tensor_parallelism_defaults_to_tensor_parallelism() -> None:
    """Megatron's default is a trap for small experts."""
    assert value(facts_of("--tensor-model-parallel-size 4"), "parallel.expert_tensor") == 4


def test_defaults_are_not_written() -> None:
    """A default has the origin of one, so that rules can ask what the user wrote."""
    facts = facts_of("--tensor-model-parallel-size 4")
    assert facts.get("relax.parallel.tensor").origin.kind is OriginKind.COMMAND
    assert facts.get("relax.parallel.pipeline").origin.kind is OriginKind.DEFAULT


@pytest.mark.parametrize(
    ("mode", "resource", "gpus"),
    [
        ("--colocate", '{"actor": [1, 16], "rollout": [1, 8]}', 16),
        ("--fully-async", '{"actor": [1, 8], "rollout": [1, 4], "reference": [1, 2], "actor_fwd": [1, 2]}', 16),
        ("--hybrid", '{"actor": [1, 8], "rollout": [2, 4]}', 16),
        ("--colocate", '{"sft": [1, 0], "actor": [1, 8]}', 8),
    ],
)  # fmt: skip
def test_gpus_of_the_roles(mode: str, resource: str, gpus: int) -> None:
    """Colocated roles share GPUs; others add up; instances multiply."""
    assert value(facts_of(f"--resource '{resource}' {mode}"), "gpus") == gpus


@pytest.mark.parametrize(
    "resource", ["nonsense", "[]", '{"actor": "8"}', '{"actor": [1]}', '{"actor": [1, -8]}', "{", "1" * 5000]
)
def test_a_broken_resource_is_unknown_and_says_so(resource: str) -> None:
    """A wrong JSON is the reader's finding, not a crash."""
    assert "--resource" in unknown(facts_of(f"--resource '{resource}' --colocate"), "gpus").reason


def test_the_longest_sample() -> None:
    """Prompt and response, at most the context; a response alone when the prompt is not bounded."""
    both = "--rollout-max-response-len 8192 --rollout-max-prompt-len 2048"
    assert value(facts_of(both), "batch.longest_sample") == 10240
    assert value(facts_of(f"{both} --rollout-max-context-len 9000"), "batch.longest_sample") == 9000
    assert value(facts_of("--rollout-max-response-len 8192"), "batch.longest_sample") == 8192
    assert isinstance(value(facts_of("--colocate"), "batch.longest_sample"), Unknown)


def test_a_sample_above_the_budget_makes_the_microbatch() -> None:
    """Dynamic batching does not cut a sample."""
    flags = f"{COLOCATE_8} --use-dynamic-batch-size --max-tokens-per-gpu 4096 --rollout-max-response-len 8192"
    assert value(facts_of(flags), "batch.microbatch") == 8192
    assert value(facts_of(f"{flags} --context-parallel-size 2"), "batch.microbatch") == 4096


def test_numbers_that_are_none_are_unknown() -> None:
    """A value that is no number, or known only when the script runs, makes the fact unknown."""
    assert "not a number" in unknown(facts_of("--tensor-model-parallel-size two"), "parallel.tensor").reason
    assert isinstance(value(facts_of("--tensor-model-parallel-size $(nproc)"), "parallel.tensor"), Unknown)
    assert isinstance(value(facts_of("--kl-loss-coef nan"), "loss.kl_coefficient"), Unknown)
    assert isinstance(value(facts_of("--kl-loss-coef 1e400"), "loss.kl_coefficient"), Unknown)


@pytest.mark.parametrize(
    ("flags", "objective"),
    [
        ("--advantage-estimator grpo", "rl"),
        ("--loss-type sft", "sft"),
        ("--loss-type sft --sft-objective dpo", "dpo"),
        ("--colocate", "rl"),
    ],
)
def test_objectives(flags: str, objective: str) -> None:
    """Fine-tuning and preference pairs are told by their flags."""
    assert value(facts_of(flags), "objective") == objective


def test_a_missing_model_configuration_is_named() -> None:
    """Sizes are unknown, and the reason says which file is missing; nothing is guessed from the name."""
    script = "source models/qwen35-35B-A3B.sh\n"
    facts = facts_of(f"{COLOCATE_8} " + '"${MODEL_ARGS[@]}"', "run-qwen35-35B-A3B-8xgpu.sh", script)
    assert "models/qwen35-35B-A3B.sh is not here" in unknown(facts, "moe").reason
    assert "--model NAME" in unknown(facts, "peak.now").needs


def test_a_model_can_be_named_by_option() -> None:
    """`--model` takes the published sizes, and says so; a wrong name is an error with a suggestion."""
    launch = launch_of(f"{COLOCATE_8} --use-dynamic-batch-size --max-tokens-per-gpu 8192")
    facts = derive(with_option(launch, "model", "Qwen3-30B-A3B"))
    assert value(facts, "moe") is True
    assert facts.get("relax.moe").value is True
    with pytest.raises(UsageError, match="no known model"):
        derive(with_option(launch, "model", "qwen3-30b-a3")).get("relax.moe")


def test_sizes_that_do_not_divide_leave_the_peak_unknown() -> None:
    """The estimator refuses, a rule tells the user."""
    facts = facts_of(f"{COLOCATE_8} --tensor-model-parallel-size 3 --rollout-max-response-len 1024 {QWEN}")
    assert "cannot be divided" in unknown(facts, "peak.now").reason


def test_environment_inside_the_runtime_json_counts() -> None:
    """PYTORCH_CUDA_ALLOC_CONF often stands inside RUNTIME_ENV_JSON."""
    runtime = '{"env_vars": {"PYTORCH_CUDA_ALLOC_CONF": "expandable_segments:True"}}'
    facts = facts_of("--colocate", before=f"export RUNTIME_ENV_JSON='{runtime}'")
    assert value(facts, "env.allocator") == "expandable_segments:True"


def test_debugging_settings_are_listed_with_their_place() -> None:
    """Flags and variables, in the spelling that a reader looks for."""
    facts = facts_of("--enable-cuda-memory-check", before="export NCCL_DEBUG=INFO CUDA_LAUNCH_BLOCKING=0")
    assert value(facts, "diagnostics") == ("--enable-cuda-memory-check", "NCCL_DEBUG=INFO")
    assert facts.get("relax.diagnostics").origin.location is not None


@pytest.mark.parametrize(
    ("flag", "meant"),
    [
        ("--max-token-per-gpu 1", "--max-tokens-per-gpu"),
        ("--use_dynamic_batchsize", "--use-dynamic-batch-size"),
        ("--recompute-granularty full", "--recompute-granularity"),
    ],
)
def test_a_misspelt_flag_is_found(flag: str, meant: str) -> None:
    """One or two letters off a flag that matters; Megatron would ignore it without a word."""
    found = value(facts_of(flag), "flags.misspelt")
    assert isinstance(found, tuple)
    assert [text for text in found if meant in str(text)]


@pytest.mark.parametrize("flag", ["--my-own-plugin-switch", "--max-tokens-per-gpu 8", "--lr 1e-6", "--ab 1"])
def test_other_unknown_flags_are_not_called_misspelt(flag: str) -> None:
    """A flag of the user's own is nobody's mistake."""
    assert value(facts_of(flag), "flags.misspelt") == ()


@pytest.mark.parametrize(
    ("path", "before", "flags", "accelerator"),
    [
        ("run-x-8xgpu.sh", "", "", "gpu"),
        ("run-x-16xnpu.sh", "", "", "npu"),
        ("run-x-8xklx.sh", "", "", "klx"),
        ("run.sh", "export ASCEND_RT_VISIBLE_DEVICES=0", "", "npu"),
        ("run.sh", "export XMLIR_ENABLE_FAST_FC=1", "", "klx"),
        ("run.sh", "", "--sglang-device npu", "npu"),
    ],
)
def test_the_accelerator(path: str, before: str, flags: str, accelerator: str) -> None:
    """Other vendors are told by file name, environment or flags; no GPU is then assumed."""
    facts = facts_of(f"--colocate {flags}", path, before)
    assert value(facts, "accelerator") == accelerator
    assert (value(facts, "nvidia") is True) == (accelerator == "gpu")
    assert isinstance(facts.get("hw.hbm").value, int) == (accelerator == "gpu")


def test_the_gpu_is_assumed_unless_named() -> None:
    """H20 with its origin «assumed»; `--gpu` replaces it."""
    launch = launch_of("--colocate")
    assumed = derive(launch).get("hw.chip")
    assert (assumed.value, assumed.origin.kind) == ("h20", OriginKind.FILLED_IN)
    named = derive(with_option(launch, "gpu", "H100"))
    assert named.get("hw.chip").value == "h100"
    assert named.get("hw.chip").origin.kind is OriginKind.OPTION


def test_stages_set_apart_add_up() -> None:
    """15 + 20 + 20 + 5 layers of 60: the first and last are written, the others share the rest."""
    launch = example_launch("run-qwen35-397B-A17B-128xgpu.sh")
    assert number(derive(launch), "peak.now") > 0


def test_engines() -> None:
    """Sequences of an engine follow from prompts, samples and engines, within the server's concurrency."""
    flags = f"{COLOCATE_8} --rollout-batch-size 32 --n-samples-per-prompt 8"
    facts = facts_of(f"{flags} --rollout-num-gpus-per-engine 2")
    assert (value(facts, "engine.count"), value(facts, "engine.running")) == (4, 64)
    assert value(facts_of(f"{flags} --sglang-server-concurrency 10"), "engine.running") == 10
    divided = f"{flags} --rollout-num-gpus-per-engine 8 --sglang-enable-dp-attention --sglang-dp-size 8"
    assert value(facts_of(divided), "engine.running_per_rank") == 32


def test_graphs_from_a_list() -> None:
    """The captured batches may be a list with `$(seq …)`; the largest counts."""
    facts = facts_of("--sglang-cuda-graph-bs 1 2 4 $(seq 8 8 64) --colocate")
    assert value(facts, "engine.graph_batch") == 64


def test_the_interpreter_may_be_a_variable() -> None:
    """A virtual environment's own Python, known only when the script runs."""
    script = '"${VENV:?the environment}"/bin/python -m relax.entrypoints.train --colocate\n'
    assert [launch.framework for launch in launches(read_paste(script))] == ["relax"]
    script = 'P="${VENV:?}/bin/python"\nray job submit -- "${P}" -m relax.entrypoints.train --colocate\n'
    assert [launch.framework for launch in launches(read_paste(script))] == ["relax"]


def test_a_command_kept_in_an_array_with_sizes_computed() -> None:
    """Newer scripts compute sizes, filter the model's flags in a loop and print the resources with printf."""
    script = """
NODES="${NODES:-2}"
[[ "${NODES}" =~ ^[1-9][0-9]*$ ]] || { echo "NODES must be positive" >&2; exit 1; }
GPUS=$((NODES * 8))
case "${GPUS}" in 8 | 16 | 32) ;; *) exit 1 ;; esac
TP="${TP:-2}"
((GPUS % TP == 0)) || { echo "TP does not divide" >&2; exit 1; }
MODEL_ARGS=(--num-layers 4 --hidden-size 64 --use-gated-attention --num-attention-heads 4 --vocab-size 1000)
KEPT=()
for arg in "${MODEL_ARGS[@]}"; do
    [[ "${arg}" == --use-gated-attention ]] || KEPT+=("${arg}")
done
STAGES=()
if ((TP > 1)); then STAGES+=(--sequence-parallel); fi
RESOURCE="$(printf '{"sft": [1, 0], "actor": [1, %d]}' "${GPUS}")"
CMD=(
    python3 -m relax.entrypoints.train --resource "${RESOURCE}" "${KEPT[@]}" "${STAGES[@]}"
    --loss-type sft --tensor-model-parallel-size "${TP}"
)
printf '%q ' "${CMD[@]}"
[[ "${DRY_RUN:-0}" == 1 ]] && exit 0
ray job submit --address="${ADDRESS:-x}" -- "${CMD[@]}" 2>&1 | tee log
"""
    launch = launches(read_paste(script))[0]
    facts = derive(launch)
    assert value(facts, "actor_gpus") == 16
    assert value(facts, "parallel.sequence") is True
    assert launch.setting("use-gated-attention") is None
    assert number(facts, "size.layers") == 4


def test_the_allocator_is_found_in_a_program_that_patches_the_runtime_environment() -> None:
    """The program is never run; the variable it writes is read from its text."""
    patched = """RUNTIME_ENV_JSON="$(python3 - <<'PY'
import json, os
environment = json.loads(os.environ["RUNTIME_ENV_JSON"])
environment["env_vars"]["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"
print(json.dumps(environment))
PY
)"
export RUNTIME_ENV_JSON"""
    assert value(facts_of("--colocate", before=patched), "env.allocator") == "expandable_segments:True"
    given = """--colocate --train-env-vars '{"PYTORCH_ALLOC_CONF": "expandable_segments:True"}'"""
    assert value(facts_of(given), "env.allocator") == "expandable_segments:True"


def test_colocated_roles_share_their_gpus_and_a_critic_is_not_estimated() -> None:
    """PPO's critic sits on the actor's GPUs: they count once, and the budget is not made up."""
    resource = '{"actor": [1, 8], "critic": [1, 8], "rollout": [1, 8], "advantages": [1, 0]}'
    facts = facts_of(f"--resource '{resource}' --colocate --rollout-max-response-len 1024 {QWEN}")
    assert value(facts, "gpus") == 8
    assert "critic" in unknown(facts, "peak.now").reason


def test_a_pipeline_layout_gives_the_layers_of_each_stage() -> None:
    """«Et*17|t*18L» puts 17 layers and the embedding on the first stage, 18 on the last."""
    flags = f"{COLOCATE_8} --pipeline-model-parallel-size 2 --rollout-max-response-len 1024 --global-batch-size 8 {QWEN}"
    even = number(facts_of(flags), "peak.now")
    uneven = facts_of(f"{flags} --pipeline-model-parallel-layout 'Et*10|t*26L'")
    assert value(uneven, "parallel.uneven") is True
    assert number(uneven, "peak.now") > even
    assert (
        "layout" in unknown(facts_of(f"{flags} --pipeline-model-parallel-layout 'E|t|L'"), "peak.now").reason
    )


def test_layers_left_to_the_checkpoint() -> None:
    """Qwen3.5's configurations name no recurrent layers: the published ones fill in, or the KV cache is unknown."""
    flags = model_flags("qwen35-9B")
    without = " ".join(part for part in flags.split("   ") if "linear" not in part)
    rollout = "--rollout-batch-size 8 --rollout-max-response-len 4096 --sglang-mem-fraction-static 0.7"
    script = f"MODEL_ARGS=({without})\n"
    call = f'{COLOCATE_8} {rollout} "${{MODEL_ARGS[@]}}"'
    known = facts_of(call, "qwen35-9B.sh", script)
    whole = facts_of(f"{COLOCATE_8} {rollout} {flags}")
    assert value(known, "engine.token_bytes") == value(whole, "engine.token_bytes")
    other = facts_of(call, "my-model.sh", script)
    assert "checkpoint" in unknown(other, "engine.token_bytes").reason
    assert number(other, "size.parameters") > 8e9

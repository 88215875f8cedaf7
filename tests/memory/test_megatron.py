"""Laws that the Megatron estimate obeys, whatever the run."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.errors import UsageError
from tpuguru.memory.megatron import Loss, MegatronRun, Optimizer, Recompute, estimate
from tpuguru.memory.megatron.local_parameters import local_parameters
from tpuguru.memory.megatron.recompute import known_modules
from tpuguru.memory.megatron.stages import in_flight, layers_of_stage
from tpuguru.models.known import known_model, known_models
from tpuguru.models.parameters import count_parameters

MODELS = [model.architecture for model in known_models()]
POWERS = st.sampled_from([1, 2, 4, 8])


@st.composite
def runs(draw: st.DrawFn) -> MegatronRun:
    """Runs with any layout that divides its GPUs."""
    tensor, pipeline, context, experts = (draw(POWERS) for _ in range(4))
    expert_tensor = draw(st.sampled_from([1, tensor]))
    gpus = tensor * pipeline * context * experts * draw(st.sampled_from([1, 2])) * expert_tensor
    return MegatronRun(
        architecture=draw(st.sampled_from(MODELS)),
        gpus=gpus,
        tensor_parallel=tensor,
        pipeline_parallel=pipeline,
        context_parallel=context,
        expert_parallel=experts,
        expert_tensor_parallel=expert_tensor,
        virtual_pipeline=draw(st.sampled_from([1, 2])),
        sequence_parallel=draw(st.booleans()),
        microbatch_tokens=draw(st.integers(1, 200_000)),
        microbatches=draw(st.integers(1, 64)),
        recompute=Recompute(
            draw(st.sampled_from(["none", "selective", "full"])),
            tuple(draw(st.lists(st.sampled_from(known_modules()), max_size=3))),
            draw(st.sampled_from(["uniform", "block"])),
            draw(st.integers(1, 8)),
        ),
        optimizer=Optimizer(
            precision_aware=draw(st.booleans()),
            moments=draw(st.sampled_from(["fp32", "bf16"])),
            offload_fraction=draw(st.sampled_from([0.0, 0.5, 1.0])),
        ),
        loss=draw(st.sampled_from(list(Loss))),
        colocated=draw(st.booleans()),
    )


@given(runs())
def test_a_budget_is_the_sum_of_its_parts_and_no_part_is_negative(run: MegatronRun) -> None:
    """Every byte of the total is explained by a part with a formula and a source."""
    budget = estimate(run)
    assert budget.gpu_bytes + budget.host_bytes == sum(part.bytes for part in budget.parts)
    assert all(part.bytes >= 0 and part.formula and part.source for part in budget.parts)
    assert budget.torch_bytes > budget.static_bytes >= budget.bytes_of("weights") > 0


@given(runs(), st.integers(1, 100_000))
def test_more_tokens_never_need_less(run: MegatronRun, more: int) -> None:
    """A larger microbatch cannot save memory."""
    larger = replace(run, microbatch_tokens=run.microbatch_tokens + more)
    assert estimate(larger).gpu_bytes >= estimate(run).gpu_bytes


@given(runs())
def test_offloading_moves_bytes_to_the_host(run: MegatronRun) -> None:
    """Offloading the optimizer never costs GPU memory, and never comes for free on the host."""
    on_gpu = estimate(replace(run, optimizer=replace(run.optimizer, offload_fraction=0.0)))
    moved = estimate(replace(run, optimizer=replace(run.optimizer, offload_fraction=1.0)))
    assert moved.gpu_bytes < on_gpu.gpu_bytes
    assert moved.host_bytes > on_gpu.host_bytes


@given(runs())
def test_recomputation_never_stores_more(run: MegatronRun) -> None:
    """Full recomputation stores at most what selective stores, and selective at most what none does."""
    stored = [
        estimate(replace(run, recompute=recompute)).bytes_of("activations")
        for recompute in (Recompute("full"), Recompute("selective", known_modules()), Recompute("none"))
    ]
    none_but_modules = estimate(replace(run, recompute=Recompute("selective", ("core_attn",))))
    assert stored[1] <= stored[2]
    assert stored[0] <= stored[2]
    assert none_but_modules.bytes_of("activations") == stored[2], (
        "flash attention stores nothing to recompute"
    )


@given(runs())
def test_stages_hold_every_layer_once(run: MegatronRun) -> None:
    """Layers are neither lost nor doubled by pipeline or virtual pipeline stages."""
    held = [layer for stage in range(run.pipeline_parallel) for layer in layers_of_stage(run, stage)]
    assert sorted(map(repr, held)) == sorted(map(repr, run.architecture.layers))


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_one_gpu_holds_every_parameter(model) -> None:  # type: ignore[no-untyped-def]  # noqa: ANN001
    """Without parallelism the local count is the model's own, but for vocabulary padding."""
    architecture = replace(model.architecture, vocabulary=model.architecture.vocabulary // 128 * 128)
    run = MegatronRun(architecture=architecture, gpus=1, microbatch_tokens=1)
    positions = (
        architecture.learned_positions * architecture.hidden
    )  # Megatron jobs here use rotary positions
    bias = architecture.hidden if architecture.norm_bias else 0
    assert local_parameters(run, 0).total == count_parameters(architecture).total - positions - bias


@given(st.integers(1, 16), st.integers(1, 64))
def test_one_forward_one_backward_keeps_what_a_simulation_keeps(stages: int, microbatches: int) -> None:
    """The closed form equals stepping through the 1F1B schedule of a stage."""
    architecture = known_model("qwen3-0.6b")
    assert architecture
    run = MegatronRun(
        architecture=architecture,
        gpus=stages,
        pipeline_parallel=stages,
        microbatches=microbatches,
        microbatch_tokens=1,
    )
    for stage in range(stages):
        warm_up = min(microbatches, stages - stage - 1)
        alive = most = warm_up
        for _ in range(microbatches - warm_up):  # forward, then backward of the oldest
            most = max(most, alive + 1)
        assert in_flight(run, stage) == max(most, alive)


def test_interleaving_costs_activations() -> None:
    """Virtual stages keep (PP - 1) / (PP v) more alive on the first stage."""
    architecture = known_model("llama3.1-8b")
    assert architecture
    run = MegatronRun(
        architecture=architecture, gpus=8, pipeline_parallel=4, microbatches=64, microbatch_tokens=1
    )
    assert in_flight(run, 0) == 4
    assert in_flight(replace(run, virtual_pipeline=2), 0) == pytest.approx(4 * (1 + 3 / 8))


def test_uneven_stages_are_judged_on_the_fullest() -> None:
    """A short first stage moves the peak to a later one."""
    architecture = known_model("llama3.1-8b")
    assert architecture
    run = MegatronRun(
        architecture=architecture,
        gpus=2,
        pipeline_parallel=2,
        layers_of_stages=(2, 30),
        microbatch_tokens=1024,
    )
    assert estimate(run).stage == 1


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"tensor_parallel": 3}, "8 GPUs cannot be divided by TP x PP x CP = 3"),
        ({"expert_parallel": 16}, "expert-TP x EP x PP = 16"),
        ({"tensor_parallel": 0}, "= 0"),
        ({"pipeline_parallel": 2, "layers_of_stages": (48,)}, "1 stages are described, but PP is 2"),
    ],
)
def test_an_impossible_layout_is_one_sentence(wrong: dict[str, object], said: str) -> None:
    """The sizes that do not divide are named, not a ZeroDivisionError."""
    architecture = known_model("qwen3-30b-a3b")
    assert architecture
    with pytest.raises(UsageError) as caught:
        MegatronRun(architecture=architecture, gpus=8, microbatch_tokens=1, **wrong)  # type: ignore[arg-type]
    assert said in caught.value.message


def test_adapters_train_only_themselves() -> None:
    """LoRA keeps the base's bf16 weights and 18 bytes an adapter parameter."""
    architecture = known_model("qwen3-8b")
    assert architecture
    run = MegatronRun(
        architecture=architecture, gpus=1, microbatch_tokens=1024, adapter_parameters=40_000_000
    )
    budget = estimate(run)
    assert budget.bytes_of("gradients") == 0
    assert budget.bytes_of("optimizer") == 18 * 40_000_000


def test_a_reference_model_keeps_weights_and_logits_only() -> None:
    """A forward-only worker has no gradients, optimizer or stored activations."""
    architecture = known_model("qwen3-8b")
    assert architecture
    run = MegatronRun(architecture=architecture, gpus=1, microbatch_tokens=1024, trains=False)
    names = {part.name for part in estimate(run).parts if part.bytes}
    assert names == {"weights", "logits", "non_torch"}

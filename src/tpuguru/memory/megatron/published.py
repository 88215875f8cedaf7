"""Published measurements that the estimator is held against: every row names who measured it."""

from dataclasses import dataclass, replace
from typing import Literal

from tpuguru.base.errors import UsageError
from tpuguru.base.units import GiB
from tpuguru.memory.megatron.estimate import estimate
from tpuguru.memory.megatron.run import Loss, MegatronRun, Optimizer, Recompute
from tpuguru.models.architecture import (
    Architecture,
    DenseMlp,
    Layer,
    MoeMlp,
    SoftmaxAttention,
)
from tpuguru.models.known import known_model

_GB = 10**9
_SIMUMAX = "https://github.com/MooreThreads/SimuMax/blob/main/docs/b200/b200_release_v1.2_summary.md"
_BRIDGE = "https://docs.nvidia.com/nemo/megatron-bridge/nightly/training/cpu-offloading.html"
_SKILLS = "https://github.com/NVIDIA-NeMo/Megatron-Bridge/tree/main/skills"
_MBRIDGE = "https://huggingface.co/spaces/ISEEKYAN/megatron_memory_estimator"


@dataclass(frozen=True, slots=True)
class PublishedRow:
    """One measurement. ``compared`` says which sum of the budget it is the measurement of."""

    name: str
    source: str
    measured: float  # bytes
    run: MegatronRun
    compared: Literal["torch", "static", "host"] = "torch"

    @property
    def kind(self) -> Literal["dense", "moe"]:
        """Whether the model has experts."""
        return "moe" if self.run.architecture.is_moe else "dense"

    @property
    def tolerance(self) -> float:
        """The deviation that the estimator promises: 3 % dense, 4 % with experts."""
        return 0.04 if self.kind == "moe" else 0.03

    def estimated(self) -> int:
        """Return the estimate in bytes."""
        budget = estimate(self.run)
        sums = {"torch": budget.torch_bytes, "static": budget.static_bytes, "host": budget.host_bytes}
        return sums[self.compared]

    def deviation(self) -> float:
        """Return estimate / measurement - 1."""
        return self.estimated() / self.measured - 1


def _known(name: str) -> Architecture:
    found = known_model(name)
    if found is None:
        raise UsageError(f"no known model {name}")
    return found


def _first_layers(name: str, count: int) -> Architecture:
    whole = _known(name)
    return replace(whole, layers=whole.layers[:count])


def _llama_405b() -> Architecture:
    # SimuMax's configuration has 16 key-value heads, as the first release of the weights had; 4 layers were
    # run.
    layer = Layer(SoftmaxAttention(128, 16, 128), DenseMlp(53_248))
    return Architecture("llama3-405b-l4", 16_384, 128_256, (layer,) * 4)


def _deepseek(name: str) -> Architecture:
    # One dense layer and three with experts.
    whole = _known(name)
    return replace(whole, layers=(whole.layers[0], *(whole.layers[-1],) * 3))


def _mixtral_8x2b() -> Architecture:
    # Sizes from the estimator's printed modules: 8 experts of width 5440, 16 query heads on 1024 key-value
    # elements.
    layer = Layer(SoftmaxAttention(16, 8, 128), MoeMlp(8, 2, 5_440))
    return Architecture("mixtral-8x2b-l4", 2_048, 32_000, (layer,) * 4)


def _simumax(
    title: str, architecture: Architecture, measured: float, *, sequence: int = 4096, **parallel: int
) -> PublishedRow:
    tokens = sequence // parallel.get("context_parallel", 1)
    run = MegatronRun(
        architecture=architecture,
        gpus=8,
        microbatch_tokens=tokens,
        sequence_parallel=True,
        expert_tensor_parallel=1,
        loss=Loss.FUSED,
        **parallel,  # type: ignore[arg-type]
    )
    return PublishedRow(f"SimuMax, {title}", _SIMUMAX, measured * GiB, run)


_LAYOUTS = ((1, 2), (2, 1), (4, 1), (8, 1))  # TP, PP on 8 GPUs


def _dense_rows() -> list[PublishedRow]:
    rows = []
    measured = {
        "Llama3-70B 12 layers": (_first_layers("llama3.1-70b", 12), (66.55, 60.68, 39.07, 28.29)),
        "Llama3-405B 4 layers": (_llama_405b(), (87.08, 81.59, 52.89, 38.57)),
    }
    for title, (architecture, peaks) in measured.items():
        for (tensor, pipeline), peak in zip(_LAYOUTS, peaks, strict=True):
            name = f"{title}, TP{tensor} PP{pipeline} DP{8 // tensor // pipeline}"
            rows.append(
                _simumax(name, architecture, peak, tensor_parallel=tensor, pipeline_parallel=pipeline)
            )
    return rows


def _context_rows() -> list[PublishedRow]:
    llama70, llama405 = _first_layers("llama3.1-70b", 12), _llama_405b()
    measured = (
        ("Llama3-70B 12 layers", llama70, 2, 4, 32_768, 68.43),
        ("Llama3-70B 12 layers", llama70, 1, 8, 32_768, 104.51),
        ("Llama3-70B 12 layers", llama70, 2, 4, 131_072, 112.67),
        ("Llama3-70B 12 layers", llama70, 1, 8, 131_072, 147.99),
        ("Llama3-405B 4 layers", llama405, 2, 4, 32_768, 87.03),
        ("Llama3-405B 4 layers", llama405, 1, 8, 32_768, 139.22),
        ("Llama3-405B 4 layers", llama405, 2, 4, 131_072, 118.13),
    )
    return [
        _simumax(
            f"{title}, TP{tensor} CP{context}, {sequence} tokens",
            architecture,
            peak,
            sequence=sequence,
            tensor_parallel=tensor,
            context_parallel=context,
        )
        for title, architecture, tensor, context, sequence, peak in measured
    ]


def _expert_rows() -> list[PublishedRow]:
    measured = (
        ("DeepSeek-V2", "deepseek2-236b", 8, 1, 45.63),
        ("DeepSeek-V2", "deepseek2-236b", 4, 2, 44.70),
        ("DeepSeek-V3", "deepseek3-671b", 8, 1, 104.30),
        ("DeepSeek-V3", "deepseek3-671b", 4, 2, 114.00),
    )
    return [
        _simumax(
            f"{title} 4 layers, EP{experts} PP{pipeline}",
            _deepseek(name),
            peak,
            expert_parallel=experts,
            pipeline_parallel=pipeline,
        )
        for title, name, experts, pipeline, peak in measured
    ]


def _mixtral_rows() -> list[PublishedRow]:
    measured = ((2, 1, 6.6), (2, 2, 8.0), (1, 1, 11.2), (1, 2, 13.8))
    return [
        PublishedRow(
            f"mbridge estimator, Mixtral-8x2B 4 layers, TP{tensor}, micro-batch {samples}",
            _MBRIDGE,
            peak * GiB,
            MegatronRun(
                architecture=_mixtral_8x2b(),
                gpus=8,
                microbatch_tokens=4096 * samples,
                tensor_parallel=tensor,
                sequence_parallel=True,
                loss=Loss.UNFUSED,
            ),
        )
        for tensor, samples, peak in measured
    ]


def _offload_rows() -> list[PublishedRow]:
    measured = ((0.0, 47.2), (0.25, 43.4), (0.5, 39.6), (0.75, 35.6), (1.0, 32.0))
    return [
        PublishedRow(
            f"Megatron-Bridge, Qwen3-30B-A3B TP2 PP2 EP4, {fraction:.0%} of the optimizer offloaded",
            _BRIDGE,
            peak * _GB,
            MegatronRun(
                architecture=_known("qwen3-30b-a3b"),
                gpus=16,
                microbatch_tokens=4096,
                tensor_parallel=2,
                pipeline_parallel=2,
                expert_parallel=4,
                expert_tensor_parallel=1,
                sequence_parallel=True,
                recompute=Recompute("full"),
                loss=Loss.FUSED,
                optimizer=Optimizer(offload_fraction=fraction),
            ),
            "static",
        )
        for fraction, peak in measured
    ]


def _other_rows() -> list[PublishedRow]:
    moonlight = MegatronRun(
        architecture=_known("moonlight-16b-a3b"),
        gpus=8,
        microbatch_tokens=4096,
        tensor_parallel=2,
        expert_parallel=8,
        expert_tensor_parallel=1,
        sequence_parallel=True,
    )
    host = MegatronRun(
        architecture=_known("qwen3-30b-a3b"),
        gpus=8,
        microbatch_tokens=9216,
        tensor_parallel=4,
        expert_parallel=8,
        expert_tensor_parallel=1,
        sequence_parallel=True,
        optimizer=Optimizer(precision_aware=True, offload_fraction=1.0),
        colocated=True,
        weight_copies=2,
    )
    return [
        PublishedRow("Megatron-Bridge, Moonlight-16B TP2 EP8", _SKILLS, 36.618 * GiB, moonlight, "static"),
        PublishedRow(
            "slime issue 1851, Qwen3-30B-A3B TP4 EP8, host memory of a process",
            "https://github.com/THUDM/slime/issues/1851",
            102.45 * _GB,
            host,
            "host",
        ),
    ]


def published_rows() -> list[PublishedRow]:
    """Return every measurement whose configuration is published in full."""
    return [
        *_dense_rows(),
        *_context_rows(),
        *_expert_rows(),
        *_mixtral_rows(),
        *_offload_rows(),
        *_other_rows(),
    ]


# Measurements that are published without what an estimate needs, so that any agreement would be chosen, not
# found.
NOT_COMPARABLE = (
    (
        "Megatron-Bridge skill cards, Llama3-70B SFT FP8 TP4 PP4 / PP8 / TP8: 58.8 / 53.2 / 50.2 GB",
        "sequence length, micro-batch and which FP8 copies are kept are not given",
    ),
    (
        "Megatron-Bridge PR 3880, Qwen3-30B-A3B without and with core_attn recompute: 61.35 / 63.14 GB",
        "layout, sequence length and micro-batch are not given; the sign agrees: it saves nothing",
    ),
    (
        "Megatron-LM PR 482, Llama2-7B: 49.5 and 28.6 GB",
        "layout, sequence length and micro-batch are not given",
    ),
    (
        "verl docs/perf/dpsk.md, DeepSeek-V3 on 96 H20 with offload: 66 GB GPU, 1.5 TB host per node",
        "layout and token budget are not given",
    ),
    (
        "Megatron-Bridge issue 5321, Gemma4-26B-A4B VL SFT TP4 EP8: 70.62 GiB",
        "the vision tower and the sequence length are not given",
    ),
    (
        "prime-rl issue 3234, Qwen3-30B-A3B on 8 H200, offload on and off: 63.1 / 17.5 GiB",
        "not Megatron: FSDP",
    ),
)

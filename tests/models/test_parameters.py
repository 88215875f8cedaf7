"""Parameter arithmetic, against the published counts of known models."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.models.architecture import Architecture, DenseMlp, Layer, MoeMlp, SoftmaxAttention
from tpuguru.models.divisibility import divisibility
from tpuguru.models.known import KnownModel, find_known, known_models, nearest_models
from tpuguru.models.parameters import count_parameters

PUBLISHED = [model for model in known_models() if model.parameters]


@pytest.mark.parametrize("model", PUBLISHED, ids=lambda model: model.name)
def test_the_count_is_the_published_one_to_the_last_parameter(model: KnownModel) -> None:
    """Every tensor of the checkpoint is accounted for."""
    assert count_parameters(model.architecture).total == model.parameters


def test_enough_models_are_compared() -> None:
    """Dense, experts, latent attention, hybrids, biases, tied and untied are all among them."""
    assert len(PUBLISHED) >= 30
    assert {"qwen3-0.6b", "llama3.1-8b", "mixtral-8x7b", "deepseek3-671b", "qwen3-30b-a3b"} <= {
        model.name for model in PUBLISHED
    }


@pytest.mark.parametrize(
    ("name", "billions"),
    [("mixtral-8x7b", 12.9), ("deepseek3-671b", 37.6), ("qwen3-30b-a3b", 3.35), ("qwen3-235b-a22b", 22.2)],
)
def test_active_parameters(name: str, billions: float) -> None:
    """What a token passes is what model cards call active."""
    found = find_known(name)
    assert found
    assert count_parameters(found.architecture).active / 1e9 == pytest.approx(billions, abs=0.05)


def test_prediction_modules_count_only_when_asked() -> None:
    """DeepSeek-V3's module adds 11.6e9; with its copies of embedding and output the card says 14B."""
    found = find_known("deepseek-v3")
    assert found
    without, with_mtp = (count_parameters(found.architecture, with_mtp=flag).total for flag in (False, True))
    copies = 2 * 129_280 * 7_168
    assert (with_mtp - without + copies) / 1e9 == pytest.approx(13.5, abs=0.1)


@given(st.integers(1, 64), st.integers(1, 8), st.integers(1, 512), st.integers(1, 16), st.booleans())
def test_parts_add_up(heads: int, kv_heads: int, width: int, experts: int, tied: bool) -> None:
    """The total is the sum of the parts, and no more is active than there is."""
    mlp = MoeMlp(experts, 1, width) if experts > 1 else DenseMlp(width)
    layer = Layer(SoftmaxAttention(heads, kv_heads, 16), mlp)
    model = Architecture("x", 128, 1000, (layer,) * 3, tied_embeddings=tied)
    count = count_parameters(model)
    assert count.total == sum(number for _, number in count.by_part)
    assert 0 < count.active <= count.total
    assert (count.active < count.total) == (experts > 1)
    assert count_parameters(replace(model, tied_embeddings=False)).of("output") == 128_000


@pytest.mark.parametrize(
    "spelling", ["Qwen/Qwen3-30B-A3B", "qwen3_30b_a3b", "Qwen3-30B-A3B-Instruct", "QWEN3-30B-A3B"]
)
def test_usual_spellings_find_the_model(spelling: str) -> None:
    """People write a model's name in many ways."""
    found = find_known(spelling)
    assert found
    assert found.name == "qwen3-30b-a3b"


@pytest.mark.parametrize("model", known_models(), ids=lambda model: model.name)
def test_a_model_is_nearest_to_itself(model: KnownModel) -> None:
    """Distance 0 means the same sizes and family."""
    nearest, distance = nearest_models(model.architecture, limit=1)[0]
    assert (nearest.name, distance) == (model.name, 0)


def test_what_divides_a_model() -> None:
    """Query heads, widths and experts decide; KV heads may be copied."""
    found = find_known("qwen3-30b-a3b")
    assert found
    divides = divisibility(found.architecture)
    assert divides.tensor_parallel == (1, 2, 4, 8, 16, 32)
    assert divides.kv_heads == 4
    assert divides.expert_parallel[-1] == 128
    assert 5 not in divides.pipeline_parallel

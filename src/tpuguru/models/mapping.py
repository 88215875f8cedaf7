"""What a model is called in MaxText and TorchTitan, and what of it has no counterpart there."""

from dataclasses import dataclass

from tpuguru.models.architecture import Architecture, LinearAttention, SoftmaxAttention
from tpuguru.models.families import FAMILIES
from tpuguru.models.known import KnownModel, nearest_models
from tpuguru.models.maxtext import MaxTextKey, maxtext_keys


@dataclass(frozen=True, slots=True)
class Mapping:
    """Names and keys elsewhere.

    ``maxtext_name`` and ``torchtitan_name`` are set when this very model exists there; ``maxtext_keys``
    describe it for a new file; ``missing`` says, a sentence each, what has no counterpart.
    """

    decoder_block: str
    maxtext_name: str
    maxtext_keys: tuple[MaxTextKey, ...]
    torchtitan_folder: str
    torchtitan_name: str
    missing: tuple[str, ...]


def mapping_of(architecture: Architecture) -> Mapping:
    """Return the mapping; a family without a decoder block in MaxText is named in ``missing``."""
    family = FAMILIES.get(architecture.family)
    block = family.maxtext if family else _block(architecture)
    folder = family.torchtitan if family else ""
    same = _same(architecture)
    return Mapping(
        decoder_block=block,
        maxtext_name=same.maxtext if same else "",
        maxtext_keys=tuple(maxtext_keys(architecture, block)) if block and architecture.layers else (),
        torchtitan_folder=folder,
        torchtitan_name=same.torchtitan if same else "",
        missing=tuple(_missing(architecture, block, folder)),
    )


def _block(architecture: Architecture) -> str:
    # A MaxText file names its own block; Megatron flags and unknown families do not.
    blocks = {family.maxtext for family in FAMILIES.values()}
    return architecture.family if architecture.family in blocks else ""


def _same(architecture: Architecture) -> KnownModel | None:
    nearest, _ = nearest_models(architecture, limit=1)[0]
    theirs = nearest.architecture
    same = (
        theirs.layers == architecture.layers
        and theirs.hidden == architecture.hidden
        and theirs.vocabulary == architecture.vocabulary
        and theirs.tied_embeddings == architecture.tied_embeddings
    )
    return nearest if same else None


def _missing(architecture: Architecture, block: str, folder: str) -> list[str]:
    missing = [f"not counted here: {key}" for key in architecture.unmapped]
    if not block:
        missing.append(f"MaxText has no decoder block for the family {architecture.family or '(unknown)'}")
    if not folder:
        missing.append(f"TorchTitan has no model folder for the family {architecture.family or '(unknown)'}")
    attentions = {type(layer.attention) for layer in architecture.layers}
    if LinearAttention in attentions and block not in ("", "qwen3_next", "qwen3_5"):
        missing.append(f"MaxText's block {block} has no gated delta net")
    if any(
        isinstance(layer.attention, SoftmaxAttention) and layer.attention.qk_norm == "all heads"
        for layer in architecture.layers
    ):
        missing.append(
            "queries and keys are normalised over all heads at once; MaxText's use_qk_norm is per head"
        )
    return missing

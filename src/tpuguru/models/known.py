"""Well-known models, for comparison and for launches that only name one."""

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tpuguru.models.architecture import Architecture, DenseMlp, Layer, MoeMlp
from tpuguru.models.huggingface import architecture_from_huggingface


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A published model. ``parameters`` is the published count, 0 when it holds parts not counted here.

    ``maxtext`` and ``torchtitan`` are its names there, empty when it has none.
    """

    name: str
    aliases: tuple[str, ...]
    source: str
    date: str
    parameters: int
    maxtext: str
    torchtitan: str

    @property
    def architecture(self) -> Architecture:
        """Its architecture, built when it is first asked for."""
        return _architecture(self.name)


@cache
def known_models() -> tuple[KnownModel, ...]:
    """Return every known model, in the order of the data file."""
    return tuple(
        KnownModel(
            name=entry["name"],
            aliases=tuple(entry.get("aliases", ())),
            source=entry["source"],
            date=entry["date"],
            parameters=entry.get("parameters", 0),
            maxtext=entry.get("maxtext", ""),
            torchtitan=entry.get("torchtitan", ""),
        )
        for entry in _entries()
    )


@cache
def _entries() -> list[dict[str, Any]]:
    path = Path(__file__).with_name("known.toml")
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["model"]
    return entries


@cache
def _architecture(name: str) -> Architecture:
    config = next(entry["config"] for entry in _entries() if entry["name"] == name)
    return architecture_from_huggingface(config, name=name)


def find_known(name: str) -> KnownModel | None:
    """Return the known model of that name in any usual spelling («Qwen3-30B-A3B», «Qwen/Qwen3_30B_A3B»)."""
    return _by_name().get(_normalise(name))


def known_model(name: str) -> Architecture | None:
    """Return the architecture of a known model, or None."""
    found = find_known(name)
    return found.architecture if found else None


@cache
def _by_name() -> dict[str, KnownModel]:
    return {_normalise(name): model for model in known_models() for name in (model.name, *model.aliases)}


def _normalise(name: str) -> str:
    last = name.lower().rstrip("/").rsplit("/", 1)[-1].replace("_", "-").replace(" ", "-")
    for suffix in ("-instruct", "-base", "-hf", "-chat", "-it"):
        last = last.removesuffix(suffix)
    return last


def nearest_models(architecture: Architecture, *, limit: int = 3) -> list[tuple[KnownModel, float]]:
    """Return the known models most like ``architecture``, nearest first, each with its distance.

    The distance is the mean of |log2 ratio| over sizes; another kind of attention or of feed-forward adds 2,
    another family 0.25; 0 is the same model.
    """
    measured = [(model, _distance(architecture, model.architecture)) for model in known_models()]
    return sorted(measured, key=lambda pair: pair[1])[:limit]


def _distance(one: Architecture, other: Architecture) -> float:
    ours, theirs = _features(one), _features(other)
    ratios = [abs(math.log2((ours[key] + 1) / (theirs[key] + 1))) for key in ours]
    kinds = 2.0 * sum(kind not in _kinds(other) for kind in _kinds(one))
    return sum(ratios) / len(ratios) + kinds + (0.25 if one.family != other.family else 0.0)


def _kinds(architecture: Architecture) -> set[str]:
    return {type(part).__name__ for layer in architecture.layers for part in (layer.attention, layer.mlp)}


def _features(architecture: Architecture) -> dict[str, float]:
    layer = architecture.layers[-1] if architecture.layers else None
    return {
        "hidden": architecture.hidden,
        "layers": len(architecture.layers),
        "vocabulary": architecture.vocabulary,
        "heads": getattr(layer.attention, "heads", 0) if layer else 0,
        "kv heads": getattr(layer.attention, "kv_heads", 0) if layer else 0,
        "experts": architecture.experts,
        "width": _width(layer) if layer else 0,
    }


def _width(layer: Layer) -> int:
    mlp: DenseMlp | MoeMlp = layer.mlp
    return mlp.width

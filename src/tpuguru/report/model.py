"""A model as text or JSON."""

from collections.abc import Iterator, Sequence

import msgspec

from tpuguru.base.units import format_bytes
from tpuguru.report.contracts.model import ModelReport, model_report
from tpuguru.report.model_source import read_model


def explain_model(source: str, *, as_json: bool) -> str:
    """Return what a model description says. Errors as in :func:`tpuguru.report.model_source.read_model`."""
    architecture, read_as = read_model(source)
    report = model_report(architecture, read_as)
    if as_json:
        return msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n"
    return "\n".join(_lines(report)) + "\n"


def _lines(report: ModelReport) -> Iterator[str]:
    yield f"{report.name or 'model'} ({report.family or 'unknown family'}; read as: {report.read_as})"
    yield from _sizes(report)
    yield ""
    yield from _parameters(report)
    yield ""
    yield from _cache(report)
    yield ""
    yield from _parallelism(report)
    yield ""
    yield from _mapping(report)
    yield ""
    yield "nearest known models"
    for near in report.nearest:
        distance = "the same sizes" if near.distance == 0 else f"distance {near.distance:g}"
        yield f"  {near.name:24} {_count(near.parameters):>8}  {distance}  {near.source}"


def _sizes(report: ModelReport) -> Iterator[str]:
    yield f"  hidden {report.hidden}, vocabulary {report.vocabulary}"
    for kind in report.layers:
        yield f"  {kind.layers} layers: {kind.attention}; {kind.feed_forward}"
    if report.prediction_layers:
        yield f"  {report.prediction_layers} layers of multi-token prediction (not counted below)"


def _parameters(report: ModelReport) -> Iterator[str]:
    active = ""
    if report.active_parameters != report.parameters:
        active = f", {report.active_parameters:,} ({_count(report.active_parameters)}) active per token"
    yield f"parameters {report.parameters:,} ({_count(report.parameters)}){active}"
    for part, count in sorted(report.parameters_by_part.items(), key=lambda entry: -entry[1]):
        yield f"  {part:16} {count:>18,}  {count / report.parameters:6.1%}"
    yield f"  bf16 weights     {format_bytes(2 * report.parameters):>18}"


def _cache(report: ModelReport) -> Iterator[str]:
    yield f"KV cache         {report.kv_bytes_per_token:,} bytes per token in bf16, on one device"
    if report.state_bytes_per_sequence:
        yield f"recurrent state  {format_bytes(report.state_bytes_per_sequence)} per sequence, however long"


def _parallelism(report: ModelReport) -> Iterator[str]:
    copied = "the latent KV cache is whole on every rank"
    if report.kv_heads:
        copied = f"KV heads are copied beyond {report.kv_heads}"
    yield f"TP that divides   {_sizes_text(report.tensor_parallel)}; {copied}"
    if report.expert_parallel:
        yield f"EP that divides   {_sizes_text(report.expert_parallel)}"
    yield f"PP that divides   {_sizes_text(report.pipeline_parallel)}"


def _sizes_text(sizes: Sequence[int]) -> str:
    return ", ".join(map(str, sizes))


def _mapping(report: ModelReport) -> Iterator[str]:
    mapping = report.mapping
    if mapping.maxtext_name:
        yield f"MaxText           model_name={mapping.maxtext_name}"
    elif mapping.maxtext_keys:
        yield "MaxText           no model of these sizes; as keys of a model YAML:"
        yield from (f"  {key}: {value}" for key, value in mapping.maxtext_keys.items())
    if mapping.torchtitan_folder:
        name = mapping.torchtitan_name or "no model of these sizes"
        yield f"TorchTitan        {name} (torchtitan/models/{mapping.torchtitan_folder})"
    for what in mapping.missing:
        yield f"no mapping        {what}"


def _count(parameters: int) -> str:
    for unit, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if parameters >= size:
            return f"{parameters / size:.3g}{unit}"
    return str(parameters)

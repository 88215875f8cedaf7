"""The sections that the launch's own facts settle: target, mesh, batch."""

from tpuguru.facts.factset import Facts
from tpuguru.facts.value import FactValue, Unknown
from tpuguru.facts.vocabulary.maxtext import AXES
from tpuguru.report.contracts.check import AxisRecord, BatchRecord, MeshRecord, TargetRecord
from tpuguru.report.contracts.common import Figure


def target_record(facts: Facts) -> TargetRecord | None:
    """Return the slice, or None when the launch names none."""
    if not isinstance(_value(facts, "launch.slice"), str):
        return None
    return TargetRecord(
        slice=_text(facts, "launch.slice"),
        accelerator=_text(facts, "launch.accelerator"),
        slices=_integer(facts, "launch.slices") or 1,
        chips=_integer(facts, "launch.chips") or 0,
        devices=_integer(facts, "launch.devices") or 0,
        hosts=_integer(facts, "launch.hosts") or 0,
        origin=str(facts.get("launch.slice").origin),
        hbm_per_device=_figure(facts, "hw.hbm", "bytes"),
    )


def mesh_record(facts: Facts) -> MeshRecord:
    """Return the axes that span more than one device or slice, and the keys that name no axis."""
    axes = [
        AxisRecord(
            axis, _integer(facts, f"maxtext.ici.{axis}") or 1, _integer(facts, f"maxtext.dcn.{axis}") or 1
        )
        for axis in AXES
    ]
    dropped = _value(facts, "maxtext.mesh.dropped_axes")
    return MeshRecord(
        axes=tuple(axis for axis in axes if axis.ici > 1 or axis.dcn > 1),
        dropped=tuple(str(key) for key in dropped) if isinstance(dropped, tuple) else (),
    )


def batch_record(facts: Facts) -> BatchRecord:
    """Return what is loaded and trained per step; the sentence speaks only when the two differ."""
    loaded = _integer(facts, "maxtext.batch.global_loaded")
    trained = _integer(facts, "maxtext.batch.global_trained")
    sentence = ""
    if loaded is not None and trained is not None and loaded != trained:
        sentence = (
            f"every step loads {loaded} sequences and trains on {trained}: "
            f"{1 - trained / loaded:.1%} of the data is dropped without a word"
        )
    return BatchRecord(
        loaded=_figure(facts, "maxtext.batch.global_loaded", "sequences"),
        trained=_figure(facts, "maxtext.batch.global_trained", "sequences"),
        tokens_per_step=_figure(facts, "maxtext.batch.tokens_per_step", "tokens"),
        sentence=sentence,
    )


def _value(facts: Facts, name: str) -> FactValue | Unknown:
    return facts.get(name).value


def _text(facts: Facts, name: str) -> str:
    value = _value(facts, name)
    return value if isinstance(value, str) else ""


def _integer(facts: Facts, name: str) -> int | None:
    value = _value(facts, name)
    return value if isinstance(value, int) else None


def _figure(facts: Facts, name: str, unit: str) -> Figure | None:
    value = facts.get(name)
    if not isinstance(value.value, (int, float)):
        return None
    inputs = ", ".join(fact.rpartition(".")[2] for fact in value.origin.inputs)
    origin = f"{value.origin.kind} from {inputs}" if inputs else str(value.origin)
    return Figure(value.value, unit, origin, level="mechanism")

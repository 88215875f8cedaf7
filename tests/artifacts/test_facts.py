"""COMPILED facts: complete, unknown where the artifact is missing, comparable with what was said."""

from pathlib import Path

import pytest

from tpuguru.artifacts.extract import extract_folder
from tpuguru.artifacts.facts import compiled_facts
from tpuguru.artifacts.request import ExtractRequest
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import OriginKind
from tpuguru.facts.schema import Stage

STEP = Path(__file__).parent / "fixtures" / "step"


@pytest.fixture(scope="module")
def facts() -> Facts:
    """The facts of the hand-written step."""
    return compiled_facts(extract_folder(STEP, ExtractRequest(requested_flags={"xla_gone": "1"})))


def test_every_declared_fact_is_set(facts: Facts) -> None:
    """Each compiled.* fact of the vocabulary is put, known or unknown, with the compiler as its origin."""
    declared = {field.name for field in facts.schema if field.name.startswith("compiled.")}
    assert {name for name, _ in facts} == declared
    assert all(value.origin.kind is OriginKind.COMPILER for _, value in facts)
    assert all(field.stage is Stage.COMPILED for field in facts.schema if field.name in declared)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("attention", "splash"),
        ("moe", "megablox"),
        ("kernels.attention", 1),
        ("kernels.grouped_matmul", 1),
        ("grouped_matmul.dtypes", ("bf16",)),
        ("attention.dq_kernel", False),
        ("splash.block_q", 512),
        ("dots.total", 2),
        ("dots.int8", 1),
        ("dots.fp8", 0),
        ("dots.asked_int8", 1),
        ("dots.asked_fp8", 1),
        ("offload.annotated", 1),
        ("offload.active", True),
        ("offload.copied_back", 8192),
        ("memory.not_aliased", 32768),
        ("memory.replicated_parameters", 32768),
        ("memory.largest_replicated_parameter", 32768),
        ("collectives.axes", ("expert", "fsdp")),
        ("collectives.all_to_all", 4),
        ("collectives.expert_all_to_all", 4),
        ("collectives.dcn", 0),
        ("sparsecore.collectives", 1),
        ("flags.absent", ("xla_gone",)),
        ("flags.different", ()),
        ("remat.recomputed_dots", 1),
    ],
)
def test_values(facts: Facts, name: str, expected: object) -> None:
    """The facts that rules compare with settings have the values of the artifacts."""
    assert facts.get(f"compiled.{name}").value == expected


def test_no_artifact_no_claim(tmp_path: Path) -> None:
    """With StableHLO alone nothing is claimed about what runs; the counts are unknown, not zero."""
    (tmp_path / "p.stablehlo.mlir").write_text(
        (STEP / "module_0001.jit_step.cl_1" / "module.mlir").read_text()
    )
    facts = compiled_facts(extract_folder(tmp_path))
    for name in (
        "attention",
        "moe",
        "kernels.attention",
        "dots.int8",
        "offload.active",
        "collectives",
        "flags.absent",
    ):
        assert not facts.get(f"compiled.{name}").known, name
    assert facts.get("compiled.offload.annotated").value == 1
    assert facts.get("compiled.dots.asked_fp8").value == 1


def test_an_absurd_number_of_partitions_is_not_believed() -> None:
    """A damaged figure in a dump costs neither memory nor time."""
    from tpuguru.artifacts.target import slices_of  # noqa: PLC0415

    assert slices_of((), 10**18, 1) == []
    assert slices_of((), 4, 2) == [0, 0, 1, 1]

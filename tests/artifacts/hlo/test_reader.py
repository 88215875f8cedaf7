"""The streaming reader of HLO text: instructions, loops, truncation, hostile input."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.artifacts.hlo.loops import count_executions
from tpuguru.artifacts.hlo.module import Module
from tpuguru.artifacts.hlo.reader import read_lines, read_module

FIXTURE = (
    Path(__file__).parents[1] / "fixtures" / "step" / "module_0001.jit_step.cl_1.after_optimizations.txt"
)

LOOP = """HloModule jit_f, is_scheduled=true

%body (p: (s32[], f32[8])) -> (s32[], f32[8]) {{
  %p = (s32[], f32[8]{{0}}) parameter(0)
  %one = s32[] constant({step})
  {counter}
  %w = f32[8,8]{{1,0}} constant({{...}})
  %d = f32[8]{{0}} dot(%p#1, %w), lhs_contracting_dims={{0}}, rhs_contracting_dims={{0}}
  ROOT %t = (s32[], f32[8]{{0}}) tuple(%i, %d)
}}

%cond (p.1: (s32[], f32[8])) -> pred[] {{
  %p.1 = (s32[], f32[8]{{0}}) parameter(0)
  %limit = s32[] constant({limit})
  ROOT %lt = pred[] compare(%p.1#0, %limit), direction={direction}
}}

ENTRY %main (x: f32[8]) -> (s32[], f32[8]) {{
  %x = f32[8]{{0}} parameter(0)
  %zero = s32[] constant({start})
  %copied = s32[] copy(%zero)
  %init = (s32[], f32[8]{{0}}) tuple(%copied, %x)
  ROOT %while = (s32[], f32[8]{{0}}) while(%init), condition=%cond, body=%body{known}
}}
"""


def loop(**changes: object) -> Module:
    """Return the module of a loop with the given parts."""
    parts: dict[str, object] = {
        "step": 1,
        "counter": "%i = s32[] add(%p#0, %one)",
        "limit": 28,
        "direction": "LT",
        "start": 0,
        "known": "",
    }
    text = LOOP.format(**(parts | changes))
    return read_lines(line.encode() for line in text.splitlines(keepends=True))


@pytest.mark.parametrize(
    ("changes", "trips"),
    [
        ({}, 28),
        ({"start": 1}, 27),
        ({"step": 4}, 7),
        ({"direction": "LE"}, 29),
        ({"step": -1, "start": 28, "limit": 0, "direction": "GT"}, 28),
        ({"step": -2, "start": 9, "limit": 1, "direction": "GE"}, 5),
        ({"known": ', backend_config={"known_trip_count":{"n":"5"}}'}, 5),
        ({"counter": "%i = s32[] multiply(%p#0, %one)"}, None),
        ({"start": 30}, 0),
    ],
)
def test_trip_counts(changes: dict[str, object], trips: int | None) -> None:
    """Trip counts come from the compiler's note, else from start, bound and step; else they are unknown."""
    module = loop(**changes)
    executions = count_executions(module)
    assert executions.trips == {"while": trips}
    assert executions.by_computation["body"] == (1 if trips is None else trips)
    assert executions.unknown_loops == (["while"] if trips is None else [])


def test_counter_inside_a_fusion() -> None:
    """A step that the compiler fused is still found."""
    text = LOOP.format(
        step=2,
        counter="%i = s32[] fusion(%p#0), kind=kLoop, calls=%plus",
        limit=10,
        direction="LT",
        start=0,
        known="",
    )
    fused = (
        "\n%plus (q: s32[]) -> s32[] {\n  %q = s32[] parameter(0)\n  %two = s32[] constant(2)\n"
        "  ROOT %a = s32[] add(%q, %two)\n}\n"
    )
    head, _, rest = text.partition("\n\n")
    module = read_lines(line.encode() for line in f"{head}\n{fused}\n{rest}".splitlines(keepends=True))
    assert count_executions(module).trips == {"while": 5}


def test_operands_of_a_tuple_get_its_element_shape() -> None:
    """A reference such as %p#1 has the shape of element 1."""
    (dot,) = loop().instructions("dot")
    assert dot.operand_shapes == ("f32[8]{0}", "f32[8,8]{1,0}")


def test_fixture() -> None:
    """The hand-written step is read whole: tables, attributes over several lines, SparseCore computations."""
    module = read_module(FIXTURE, wanted={"fusion.1"})
    assert module.problems == []
    assert module.name == "jit_step"
    assert module.header_value("num_partitions") == "4"
    kernel = next(item for item in module.instructions("custom-call") if "splash" in item.name)
    assert kernel.op_name.endswith("splash_mha_fwd/pallas_call")
    assert '"body":""' in kernel.attributes
    assert module.source_of(kernel) == ("/src/model.py", 20)
    assert module.wanted["fusion.1"].op_name == "jit(step)/while/body/dot_general"
    assert module.parameters[1].op_name == "params['w']"


def test_a_buffer_is_named_after_what_filled_it() -> None:
    """A copy has the op name of what it copies, and a kernel keeps the one on its last line."""
    wanted = read_module(FIXTURE, wanted={"permute-done.1", "copy-done.1", "splash_mha_fwd.1"}).wanted
    assert wanted["copy-done.1"].op_name == "jit(step)/transpose/while"
    assert wanted["splash_mha_fwd.1"].op_name.endswith("pallas_call")


def test_fingerprint_ignores_places_but_not_the_program() -> None:
    """Op names and source lines leave the fingerprint alone; another shape or opcode changes it."""
    text = FIXTURE.read_text()
    prints = {
        name: read_lines(line.encode() for line in changed.splitlines(keepends=True)).fingerprint
        for name, changed in {
            "same": text,
            "moved": text.replace("line=20", "line=21").replace("stack_frame_id=2", "stack_frame_id=1"),
            "renamed": text.replace("/body/dot_general", "/body/matmul"),
            "changed": text.replace("f32[64,128]", "f32[64,256]"),
        }.items()
    }
    assert prints["same"] == prints["moved"] == prints["renamed"]
    assert prints["same"] != prints["changed"]


@given(st.integers(0, 6000))
def test_truncation_is_named(cut: int) -> None:
    """Cut anywhere, the reader returns what came before and says that something is missing."""
    text = FIXTURE.read_bytes()
    cut = min(cut, len(text) - 2)
    module = read_lines(text[:cut].splitlines(keepends=True))
    count_executions(module)
    if not module.entry:
        assert module.problems


@given(st.lists(st.sampled_from(FIXTURE.read_bytes().splitlines(keepends=True)), max_size=60))
def test_shuffled_lines_are_survived(lines: list[bytes]) -> None:
    """Lines in any order never make the reader or the loop counter raise."""
    count_executions(read_lines(lines))


@given(st.binary(max_size=400))
def test_bytes_are_survived(data: bytes) -> None:
    """Arbitrary bytes in a computation never make the reader raise."""
    read_lines([b"HloModule m\n", b"%c (p: f32[]) -> f32[] {\n", *data.splitlines(keepends=True), b"}\n"])


def test_recursive_calls_end() -> None:
    """Computations that call each other do not hang the loop counter."""
    text = (
        b"HloModule m\n%a (p: f32[]) -> f32[] {\n  ROOT %x = f32[] call(%p), to_apply=%b\n}\n"
        b"%b (p: f32[]) -> f32[] {\n  ROOT %y = f32[] call(%p), to_apply=%a\n}\n"
        b"ENTRY %e (p: f32[]) -> f32[] {\n  ROOT %z = f32[] call(%p), to_apply=%a\n}\n"
    )
    assert count_executions(read_lines(text.splitlines(keepends=True))).by_computation["e"] == 1

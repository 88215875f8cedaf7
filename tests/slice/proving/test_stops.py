"""Where runs may end, learnt from a first run."""

import pytest

from tpuguru.base.errors import UsageError
from tpuguru.slice.proving.stops import Stop, after_compiling, choose_stop, stop_at, up_to
from tpuguru.slice.proving.trace import Asked, Compiled, Trace


def trace_of(*programs: tuple[str, int, float]) -> Trace:
    """A run that compiled programs of these names, sizes and amounts of arithmetic."""
    asked = tuple(Asked(f"p{i}", "o", f"q{i}", size) for i, (_, size, _) in enumerate(programs))
    compiled = {f"q{i}": Compiled(name, flops, f"q{i}") for i, (name, _, flops) in enumerate(programs)}
    return Trace(asked, compiled, "settled")


def test_runs_end_at_the_step() -> None:
    """The program with most of the arithmetic, by its name and by a size clearly between it and the others."""
    trace = trace_of(("init", 400, 10), ("step", 10_000, 1e6), ("eval", 5_000, 1e5))
    stop = choose_stop(trace, settled=3)
    assert stop.name == "step"
    assert 400 < stop.size < 10_000
    assert [asked.program for asked in up_to(trace, stop).asked] == ["p0", "p1"]


def test_a_step_that_is_compiled_again_ends_the_run_the_first_time() -> None:
    """Two programs of one name with about the same arithmetic are the same step."""
    trace = trace_of(("init", 9_000, 10), ("step", 10_000, 1e6), ("step", 10_000, 1.1e6))
    stop = choose_stop(trace, settled=3)
    assert stop == Stop(size=0, name="step", settled=3)
    assert len(up_to(trace, stop).asked) == 2


def test_a_program_of_many_small_ones_is_compared_whole() -> None:
    """Eager PyTorch has no one step; nor is a small program of the same name the step."""
    eager = trace_of(("mm", 500, 10), ("mm_backward", 500, 20), ("add", 400, 5))
    assert choose_stop(eager, settled=3) == Stop(settled=3)
    same_name = trace_of(("run", 500, 10), ("run", 9_000, 1e6))
    assert choose_stop(same_name, settled=3) == Stop(settled=3)
    assert up_to(eager, Stop(settled=3)) == eager


def test_a_stop_that_does_not_come_is_wrong_use() -> None:
    """A name that is not sent and a size that nothing reaches say what is sent instead."""
    trace = trace_of(("init", 400, 10), ("step", 10_000, 1e6))
    assert stop_at("step", trace, 3) == Stop(name="step", settled=3)
    assert stop_at("5000", trace, 3) == Stop(size=5000, settled=3)
    assert stop_at("end", trace, 3) == Stop(settled=3)
    for wanted in ("train", "20000"):
        with pytest.raises(UsageError) as raised:
            stop_at(wanted, trace, 3)
        assert "step (10000 bytes)" in (raised.value.help or "")


def test_to_compile_the_step_the_run_ends_before_it_runs() -> None:
    """Flags that act inside the compiler need what it makes of the step."""
    assert after_compiling(Stop(size=900, name="step", settled=3)) == Stop(run="step", settled=3)

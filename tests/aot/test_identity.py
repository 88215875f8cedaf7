"""Content hashes: equal questions have equal ids, different ones do not."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st
from tests.aot import toy

from tpuguru.aot.identity import program_key, request_hash, run_id
from tpuguru.aot.job import CompilerFlags, Limits, Target

words = st.dictionaries(st.sampled_from("abcd"), st.sampled_from("123"), max_size=4)


@given(words, words)
def test_ids_are_equal_exactly_when_the_settings_are(one: dict[str, str], other: dict[str, str]) -> None:
    """The order of settings says nothing; their values do."""
    ids = [run_id(toy.job(), "lock", settings) for settings in (one, dict(reversed(list(other.items()))))]
    assert (ids[0] == ids[1]) == (one == other)


@given(words)
def test_a_duplicate_counts_as_its_last_value(settings: dict[str, str]) -> None:
    """A key written twice asks the same question as its last value alone."""
    job = toy.job(**settings)
    twice = replace(job, overrides=(("a", "9"), *job.overrides) if "a" in settings else job.overrides)
    assert request_hash(job, "lock") == request_hash(twice, "lock")


def test_lock_target_and_flags_count_and_limits_do_not() -> None:
    """Everything that can change the answer changes the id; what only bounds the work does not."""
    job = toy.job(a=1)
    others = [
        run_id(job, "other lock", {"a": 1}),
        run_id(replace(job, target=Target("toy-8")), "lock", {"a": 1}),
        run_id(replace(job, target=Target("toy-4", 2)), "lock", {"a": 1}),
        run_id(replace(job, flags=CompilerFlags(("--x=1",))), "lock", {"a": 1}),
        run_id(replace(job, flags=CompilerFlags((), ("--x=1",))), "lock", {"a": 1}),
    ]
    assert len({run_id(job, "lock", {"a": 1}), *others}) == 6
    assert run_id(replace(job, limits=Limits(1)), "lock", {"a": 1}) == run_id(job, "lock", {"a": 1})


def test_names_and_places_do_not_count() -> None:
    """The hour in a run's name and the folder it writes to are no part of the program."""
    assert run_id(toy.job(), "lock", {"run_name": "10:00"}) == run_id(
        toy.job(), "lock", {"run_name": "11:00"}
    )


def test_a_replaced_setting_is_another_program() -> None:
    """Leaving a key out, and giving it another value, are different programs from the launch itself."""
    job = toy.job(a=1, b=2)
    keys = {
        program_key(job, "lock", []),
        program_key(job, "lock", ["a"]),
        program_key(toy.job(a=2, b=2), "lock", []),
        program_key(job, "lock", ["b"]),
    }
    assert len(keys) == 4

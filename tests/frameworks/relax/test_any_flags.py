"""Whatever the flags, facts come out: known, or unknown with a reason. Nothing raises."""

import shlex

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.frameworks.relax.scripts import facts_of, model_flags

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.relax.recognise import nargs

FLAGS = sorted(nargs())
MODEL = model_flags("qwen3-30B-A3B")
VALUES = st.one_of(
    st.integers(-3, 100_000).map(str),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.sampled_from(
        ["", "full", "selective", "sft", "true", "[0]*3+[1]*58", "9" * 40, "{}", "$(nproc)", "${X:?no}"]
    ),
    st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=20),
)
PAIRS = st.lists(st.tuples(st.sampled_from(FLAGS), st.lists(VALUES, max_size=2)), max_size=25)


def _words(pairs: list[tuple[str, list[str]]]) -> str:
    plain = {"$(nproc)", "${X:?no}"}
    return " ".join(
        " ".join([f"--{flag}", *(value if value in plain else shlex.quote(value) for value in values)])
        for flag, values in pairs
    )


@settings(max_examples=60, deadline=None)
@given(PAIRS, st.booleans())
def test_any_flags_give_facts(pairs: list[tuple[str, list[str]]], with_model: bool) -> None:
    """Every fact can be read, also those that are computed late, and an unknown one says why."""
    for name, value in facts_of(f"{_words(pairs)} {MODEL if with_model else ''}"):
        if isinstance(value.value, Unknown):
            assert value.value.reason, name


@settings(max_examples=60, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r\n"), max_size=60))
def test_any_resource_gives_facts(text: str) -> None:
    """The JSON of the roles may be anything."""
    facts = facts_of(f"--colocate --resource {shlex.quote(text)}")
    gpus = facts.get("relax.gpus").value
    assert isinstance(gpus, Unknown | int)

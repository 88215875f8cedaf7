"""Scripts made from a safe grammar mean here what they mean to bash itself."""

import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.launch.reading import commands_of, text_of

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash here")

NAMES = ("A", "B", "C")
PLAIN = st.text("ab1-_./:=,[]+%@é", min_size=1, max_size=6)
SPACED = st.text("ab1 -_./", max_size=8)


def quoted(text: str) -> str:
    return f"'{text}'"


def expansions(name: str) -> st.SearchStrategy[str]:
    """Every way to write a parameter; patterns and operands are small."""
    operand = st.sampled_from(["x", "a b", '"q r"', "${A}", "${B:-n}", "'s t'", ""])
    pattern = st.sampled_from(["a", "*", "*/", "?", "[ab]", "1*", "-", "'*'", "a*b", "/*"])
    return st.one_of(
        st.just(f"${{{name}}}"),
        st.just(f'"${name}"'),
        st.builds(
            lambda op, o: f"${{{name}{op}{o}}}", st.sampled_from([":-", "-", ":+", "+", ":="]), operand
        ),
        st.builds(lambda op, o: f'"${{{name}{op}{o}}}"', st.sampled_from([":-", "-", ":+", "+"]), operand),
        st.builds(lambda op, p: f'"${{{name}{op}{p}}}"', st.sampled_from(["#", "##", "%", "%%"]), pattern),
        st.builds(lambda op, p: f'"${{{name}{op}{p}/x}}"', st.sampled_from(["/", "//"]), pattern),
        st.sampled_from([f"${{#{name}}}", f'"${{{name}:1}}"', f'"${{{name}:0:2}}"', f'"${{{name}^^}}"']),
    )


WORD = st.one_of(
    PLAIN.filter(lambda text: text[0] not in "=[" and "[" not in text),
    SPACED.map(quoted),
    SPACED.map(lambda text: f'"{text}"'),
    st.sampled_from(NAMES).flatmap(expansions),
    st.sampled_from(
        ['"${L[@]}"', "${L[@]}", '"${L[*]}"', "${L[*]}", '"x${L[@]}y"', "${#L[@]}", "${L[1]}", '"${L[@]:1}"']
    ),
    st.sampled_from(
        ["$((1+2*3))", "$(( ${#A} + 1 ))", "$(seq 2 4)", '"$(echo a  b)"', "$(echo a  b)", "\\$A", "a\\ b"]
    ),
)
SPLICED = st.lists(WORD, min_size=1, max_size=3).map("".join)
VALUE = st.one_of(
    SPACED.map(quoted), PLAIN.filter(lambda t: t[0] not in "=[~"), st.sampled_from(NAMES).flatmap(expansions)
)
# In a loop nothing may grow by what it holds already: that would be exponential, for bash as well.
SET = st.builds(lambda n, v: f"{n}={v}", st.sampled_from(NAMES), VALUE)
ASSIGNMENT = st.one_of(
    st.builds(lambda n, v: f"{n}={v}", st.sampled_from(NAMES), VALUE),
    st.builds(lambda n, v: f"{n}+={v}", st.sampled_from(NAMES), VALUE),
    st.builds(lambda words: f"L=({' '.join(words)})", st.lists(WORD, max_size=4)),
    st.builds(lambda words: f"L+=({' '.join(words)})", st.lists(WORD, max_size=2)),
)
TESTS = """
[ -n "$A" ]
[[ $A == a* ]]
[ "$A" = "$B" ]
(( ${#A} > 2 ))
[[ -z $B && -n $C ]]
! [ -z "$C" ]
[[ ( $A == b || $B != a ) && -n $A ]]
[ "${#L[@]}" -ge 2 ]
"""
TEST = st.sampled_from(TESTS.strip().splitlines())
STATEMENT = st.one_of(
    ASSIGNMENT,
    st.builds(lambda test, a, b: f"if {test}; then {a}; else {b}; fi", TEST, ASSIGNMENT, ASSIGNMENT),
    st.builds(lambda test, a: f"{test} && {a}", TEST, ASSIGNMENT),
    st.builds(lambda test, a: f"{test} || {a}", TEST, ASSIGNMENT),
    st.builds(lambda a: f'for x in "${{L[@]}}" z; do {a}; A+=$x; done', SET),
    st.builds(lambda a, b: f'case "$A" in a*) {a};; *b|"") {b};; *) C+=k;; esac', ASSIGNMENT, ASSIGNMENT),
    st.builds(lambda a: f"f() {{ local A=loc; {a}; }}; f", ASSIGNMENT),
    st.builds(lambda a: f"( {a} )", ASSIGNMENT),
    st.builds(lambda a: f"for ((i=0; i<3; i++)); do {a}; L+=($i); done", SET),
)


def bash_words(script: str) -> list[str]:
    """Run the script with bash; ``train`` is a function that prints its arguments."""
    assert BASH is not None
    prologue = 'set -f; train() { printf \'%s\\0\' "$#" "$@"; }\n'
    done = subprocess.run(
        [BASH, "--norc", "--noprofile", "-c", prologue + script], capture_output=True, check=True
    )
    count, *words = done.stdout.decode().split("\0")
    return words[: int(count)]


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(STATEMENT, max_size=4), st.lists(SPLICED, max_size=4))
def test_words_are_those_that_bash_would_pass(statements: list[str], words: list[str]) -> None:
    """Quoting, splitting, defaults, patterns, arrays, branches and loops agree with the real shell."""
    known = "A='a b'; B=; C=c/d1; L=(one 'two three' '')"
    script = "\n".join([known, *statements, f"train {' '.join(words)}"])
    (command,) = commands_of(script)
    assert text_of(command)[1:] == bash_words(script)

"""Hostile and broken input: a clear sentence or a partial result, in bounded time, and never an execution."""

import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.launch.reading import commands_of, note_kinds, paste_of, text_of, words_of

from tpuguru.base.errors import TpuguruError, UsageError
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.registry import launches
from tpuguru.launch.reader import read_paste, read_paste_file
from tpuguru.launch.text_input import MAXIMUM_BYTES


def test_nothing_is_executed(tmp_path: Path) -> None:
    """Every way to run something leaves the witness file alone."""
    witness = tmp_path / "witness"
    witness.write_text("here")
    kill = f"rm -rf {witness}"
    text = (
        f"$({kill})\n`{kill}`\n{kill}\neval '{kill}'\nbash -c '{kill}'\nX=$(({witness.name}))\n"
        f'trap "{kill}" EXIT\nsource <({kill})\ncat <<EOF | bash\n{kill}\nEOF\n'
        f"printf -v Y '%s' \"$({kill})\"\na[$({kill})]=1\necho ${{Z:=$({kill})}}\n: > {witness}\n"
        f"train --x $({kill}) $(cat /etc/hostname)"
    )
    paste = paste_of(text, folder=tmp_path)
    assert witness.read_text() == "here"
    assert [text_of(command) for command in paste.commands][-1] == ["train", "--x", "?"]


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "#", "# only a comment", "\\", "'", '"', "$(", "${", "`", "((", "<<EOF"]
)
def test_almost_nothing(text: str) -> None:
    """Zero bytes and single characters read to nothing."""
    assert launches(paste_of(text)) == []


def test_binary_and_nul_are_refused() -> None:
    """A checkpoint pasted by mistake is said to be binary."""
    for data in (b"\x7fELF\0\0\x01", b"train --x\0 1", "a\0b".encode("utf-16")):
        with pytest.raises(UsageError, match="is binary, not text"):
            read_paste(data, "x.bin")


def test_a_hundred_megabytes_are_refused_quickly(tmp_path: Path) -> None:
    """The size is bounded before anything is parsed, and only the limit is read."""
    path = tmp_path / "big.sh"
    with path.open("wb") as file:
        file.truncate(100 * 2**20)
    started = time.process_time()
    with pytest.raises(UsageError, match="too large to be a launch"):
        read_paste_file(str(path))
    assert time.process_time() - started < 1
    with pytest.raises(UsageError, match="too large to be a launch"):
        read_paste("a" * (MAXIMUM_BYTES + 1))


def test_invalid_utf8_reads_with_a_note() -> None:
    """The rest of the paste is still good."""
    paste = read_paste(b"train --x 1 # \xff\xfe caf\xe9\n", "run.sh")
    assert text_of(paste.commands[0]) == ["train", "--x", "1"]
    assert "invalid-encoding" in note_kinds(paste)


def test_windows_line_ends_and_byte_order_marks() -> None:
    """CRLF, UTF-8 with a mark, UTF-16: the same words at the same places."""
    text = 'A=(\r\n  --x 1\r\n)\r\ntrain "${A[@]}" \\\r\n  --y\r\n'
    for data in (text.encode(), text.encode("utf-8-sig"), text.encode("utf-16")):
        (command,) = read_paste(data, "run.sh").commands
        assert text_of(command) == ["train", "--x", "1", "--y"]
        assert str(command.words[1].location) == "run.sh:2:3"


@pytest.mark.parametrize(
    "text",
    [
        "train --x 'unterminated\n--y",
        'train --x "unterminated $(',
        "if true; then train --x",
        "train --x {{ jinja }} --y",
        "A=(--x 1\ntrain",
        "train --a ) --b",
        "cat <<EOF\ntrain",
    ],
)
def test_broken_scripts_give_a_partial_result_and_a_note(text: str) -> None:
    """The tree's broken part is named with its place; what can be read is."""
    paste = paste_of(text)
    assert "syntax-error" in note_kinds(paste) or paste.commands or paste.notes


@pytest.mark.parametrize(
    "text",
    [
        "(" * 20_000,
        "$(" * 5_000 + ")" * 5_000,
        "train " + "${A:-" * 3_000 + "x" + "}" * 3_000,
        "train " + "$((" + "(" * 5_000 + "1" + ")" * 5_000 + "))",
        'train "' + '$(echo "' * 500 + '")' * 500 + '"',
        "if true; then " * 2_000 + "fi; " * 2_000,
        "{ " * 3_000 + "}; " * 3_000,
        "f() { f; f; }; f",
        "while true; do A+=x; done; for ((;;)); do B+=y; done; train",
        "a=x; for i in $(seq 1 60); do a=$a$a; done; train $a",
        "train $(seq 1 1000000000) $((9999999999999999999 ** 99))",
        "train {1..999999999} $((1/0)) $((1 << 99))",
        "[[ $(printf 'a%.0s' 1 2 3) == *a*a*a*a*a*a*a*a*b ]] && train",
        "A=(" + "x " * 100_000 + ')\ntrain "${A[@]}"',
        "x=" + "'" * 100_001,
        "a: " * 10_000,
        "\\\n" * 50_000,
        "source run.sh\n" * 50,
    ],
    ids=range(18),
)
def test_time_and_memory_are_bounded(text: str) -> None:
    """Nesting, loops that never end, doubling texts, huge ranges: seconds at most."""
    started = time.process_time()
    with suppress(TpuguruError):
        paste_of(text)
    assert time.process_time() - started < 10


def test_doubling_text_becomes_unknown() -> None:
    """A value too long to keep is unknown rather than cut."""
    (command,) = commands_of('a=x; for i in $(seq 1 60); do a=$a$a; done; train "$a"')
    assert isinstance(command.words[1].text, Unknown)


def test_an_operator_with_nothing_behind_it() -> None:
    """The grammar puts an empty command there, which has no name."""
    assert read_paste("]] &&", "-").commands is not None


def test_a_script_that_sources_itself(tmp_path: Path) -> None:
    """A cycle ends at the depth limit, with a note."""
    (tmp_path / "run.sh").write_text("source ./run.sh\ntrain --x\n")
    paste = read_paste_file(str(tmp_path / "run.sh"))
    assert text_of(paste.commands[-1]) == ["train", "--x"]
    assert "nested-too-deep" in note_kinds(paste)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x [*x]",
        "a: " + "[" * 2000,
        "k: [1, 2",
        "\t- a: b",
        "a: !!python/object/apply:os.system [ls]",
        "a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]\nd: [*c,*c]\n",
    ],
)
def test_hostile_yaml(text: str) -> None:
    """Aliases to oneself, depth, tags that construct objects: an error with a place, or plain data."""
    assert "YAML" in refusal(text, "x.yaml")


@pytest.mark.parametrize(
    "text",
    [
        '{"schema": "launch/v1"}',
        '{"schema": "launch/v1", "launches": [{"x": 1}]}',
        '{"schema":"launch/v1", nope',
    ],
)
def test_broken_launch_document(text: str) -> None:
    """A damaged launch/v1 document is refused in one sentence."""
    with pytest.raises(UsageError, match="launch/v1"):
        read_paste(text, "l.json")


SNIPPETS = r"""
$ ${ } $( ) (( )) ' " ` \\ A= A+=( [[ ]] if then fi for x in do done case esac ;; ; && || | <<EOF EOF # train --x
${A[@]} 中 docker run xpk workload create --command bash -c kubectl apply -f - python3 -m MaxText.train a=1 eval
"""
SNIPPET = st.sampled_from([*SNIPPETS.split(), "\n", " ", "\ufdd0"])


def refusal(text: str | bytes, path: str = "run.sh") -> str:
    """Read a paste and all its launches; return the sentence that refuses it, or what stands for success."""
    try:
        launches(read_paste(text, path))
    except TpuguruError as error:
        return error.message
    return "read as script or YAML"


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.one_of(
        st.lists(SNIPPET, max_size=30).map(" ".join),
        st.lists(SNIPPET, max_size=30).map("".join),
        st.text(max_size=80),
    )
)
def test_any_text_reads_or_is_refused(text: str) -> None:
    """Whatever is pasted: launches, nothing, or one sentence; never another exception."""
    assert refusal(text)


@settings(max_examples=60, deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_read_or_are_refused(data: bytes) -> None:
    """Bytes too."""
    assert refusal(data)


def test_a_lone_surrogate_reads() -> None:
    """A broken clipboard leaves half a character."""
    assert words_of("train --x \ud800") == ["--x", "?"]

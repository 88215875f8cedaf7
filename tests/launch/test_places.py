"""Every setting's place leads to its own characters, through quoting, variables, arrays and wrappers."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.launch.reading import paste_of

from tpuguru.base.location import Location
from tpuguru.frameworks.registry import launches
from tpuguru.launch.model import Setting

KEY = st.sampled_from(["steps", "run_name", "attention", "per_device_batch_size", "ici_fsdp_parallelism"])
VALUE = st.text("ab1-_./:é", min_size=1, max_size=6)
TRAIN = "python3 -m MaxText.train c.yml"


def written_at(text: str, location: Location) -> str:
    """Return the characters of a one-line span."""
    assert location.end_column is not None
    return text.split("\n")[location.line - 1][location.column - 1 : location.end_column - 1]


def place_of(setting: Setting) -> Location:
    assert setting.location is not None
    return setting.location


def plain(words: list[str]) -> str:
    return f"{TRAIN} \\\n  {' '.join(words)}"


def array(words: list[str]) -> str:
    body = "\n".join(f"  {word}  # é why" for word in words)
    return f'A=(\n{body}\n)\n{TRAIN} "${{A[@]}}"'


def split_variable(words: list[str]) -> str:
    return f'ARGS="\\\n{" ".join(words)}"\n# 注释\n{TRAIN} $ARGS'


def bash_string(words: list[str]) -> str:
    return f'docker run img bash -c "cd x && {TRAIN} {" ".join(words)}"'


def command_of_variable(words: list[str]) -> str:
    return f"ARGS='{' '.join(words)}'\nxpk workload create --command=\"export A='b c' && {TRAIN} ${{ARGS}}\""


def manifest(words: list[str]) -> str:
    lines = "".join(f"      {word} \\\n" for word in words)
    return (
        "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - command:\n    - bash\n    - -c\n    - |\n"
        f"      {TRAIN} \\\n{lines}      last=1\n"
    )


def heredoc(words: list[str]) -> str:
    return f"bash <<'EOF'\n{TRAIN} {' '.join(words)}\nEOF"


SHAPES = (plain, array, split_variable, bash_string, command_of_variable, manifest, heredoc)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(SHAPES), st.lists(st.tuples(KEY, VALUE), min_size=1, max_size=5))
def test_the_place_of_a_setting_holds_the_setting(shape: object, pairs: list[tuple[str, str]]) -> None:
    """Slicing the paste at a setting's span gives back ``key=value``, for each way to write it."""
    assert callable(shape)
    words = [f"{key}={value}" for key, value in pairs]
    text = shape(words)
    (launch,) = launches(paste_of(text, path="job.yaml" if shape is manifest else "run.sh"))
    found = [setting for setting in launch.settings if setting.key != "last"]
    assert [written_at(text, place_of(setting)) for setting in found] == words
    assert [f"{setting.key}={setting.text}" for setting in found] == words


def test_a_sourced_setting_has_the_other_file_and_its_line() -> None:
    """The end of a span never runs into another file."""
    paste = paste_of("A=(a=1\n b=2)\npython3 -m MaxText.train c.yml ${A[@]}\n")
    (launch,) = launches(paste)
    assert [str(setting.location) for setting in launch.settings] == ["run.sh:1:4", "run.sh:2:2"]


def test_value_from_elsewhere_keeps_both_places() -> None:
    """`steps=${STEPS}`: where the setting is written, and where its value is."""
    (launch,) = launches(paste_of("STEPS=30\npython3 -m MaxText.train c.yml steps=${STEPS}\n"))
    (setting,) = launch.settings
    assert (str(setting.location), str(setting.value_location)) == ("run.sh:2:32", "run.sh:1:7")

"""Which settings a command line states, and what the command is without them."""

from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.ablation import Variation
from tpuguru.slice.command import ProgramCommand, split_command
from tpuguru.slice.proving.options import OptionShape
from tpuguru.slice.proving.written import Kind, WrittenSetting, vary, written_settings


def settings_of(command: ProgramCommand, *shapes: OptionShape) -> dict[str, WrittenSetting]:
    return {setting.key: setting for setting in written_settings(command, shapes)}


def without(command: ProgramCommand, *keys: str, add: tuple[str, ...] = ()) -> ProgramCommand:
    return vary(command, settings_of(command), Variation.without(keys, add=add))


def test_a_command_is_taken_apart() -> None:
    """Variables before it, the interpreter with its options, the script; the rest is the program's."""
    command = split_command(["A=1", "B=x y", "python3", "-u", "-W", "ignore", "train.py", "--lr", "1"])
    assert command.variables == (("A", "1"), ("B", "x y"))
    assert command.program == ("python3", "-u", "-W", "ignore", "train.py")
    assert command.target == ("train.py",)
    assert command.interpreter_options == ("-u", "-W", "ignore")
    assert command.arguments == ("--lr", "1")


def test_modules_launchers_and_env() -> None:
    """`python -m`, a launcher's script, and `env` before the command."""
    assert split_command(["python", "-m", "pkg.train", "lr=1"]).target == ("-m", "pkg.train")
    launched = split_command(["torchrun", "--nproc-per-node", "2", "train.py", "--lr", "1"])
    assert launched.program == ("torchrun", "--nproc-per-node", "2", "train.py")
    assert launched.target == ()
    assert split_command(["env", "A=1", "python", "x.py"]).variables == (("A", "1"),)


def test_every_kind_of_setting_is_found() -> None:
    """Options with a value in either spelling, switches, assignments, variables, flags inside variables."""
    command = split_command(
        [
            "XLA_FLAGS=--xla_a=1 --xla_b",
            "MODE=fast",
            "python",
            "t.py",
            "--x",
            "1",
            "--y=2",
            "-v",
            "--",
            "--no",
        ]
    )
    found = settings_of(command)
    assert {key: (setting.value, setting.kind) for key, setting in found.items()} == {
        "--x": ("1", Kind.OPTION),
        "--y": ("2", Kind.OPTION),
        "-v": ("", Kind.OPTION),
        "--xla_a": ("1", Kind.FLAG),
        "--xla_b": ("", Kind.FLAG),
        "MODE": ("fast", Kind.VARIABLE),
    }
    assigned = settings_of(split_command(["python", "-m", "t", "base.yml", "model.layers=4", "+extra=1"]))
    assert {key: setting.value for key, setting in assigned.items()} == {"model.layers": "4", "+extra": "1"}


def test_argparse_tells_switches_from_options_with_values() -> None:
    """A switch does not take the word after it, an abbreviation is its option, choices are known."""
    command = split_command(
        ["python", "t.py", "--verbose", "input.txt", "--rem", "full", "--sizes", "1", "2"]
    )
    found = settings_of(
        command,
        OptionShape(("-v", "--verbose"), 0),
        OptionShape(("--remat",), 1, ("none", "full")),
        OptionShape(("--sizes",), 1 << 30),
    )
    assert found["--verbose"].value == ""
    assert (found["--remat"].value, found["--remat"].choices) == ("full", ("none", "full"))
    assert found["--sizes"].value == "1 2"


def test_negative_numbers_are_values() -> None:
    """`--bias -1` is one setting."""
    assert settings_of(split_command(["python", "t.py", "--bias", "-1", "--x"]))["--bias"].value == "-1"


def test_leaving_out_takes_every_place_and_keeps_the_rest() -> None:
    """An option that is written twice goes twice; one flag goes out of its variable."""
    command = split_command(["XLA_FLAGS=--a=1 --b=2", "python", "t.py", "--x", "1", "f.txt", "--x=2", "--y"])
    assert without(command, "--x").arguments == ("f.txt", "--y")
    assert without(command, "--a").variables == (("XLA_FLAGS", "--b=2"),)
    assert without(command, "--y", "--b").arguments == ("--x", "1", "f.txt", "--x=2")


def test_another_value_keeps_place_and_spelling() -> None:
    """`--x 1` becomes `--x 2` and `y=1` becomes `y=2`, where they stood."""
    command = split_command(["python", "t.py", "--x", "1", "y=1", "z"])
    assert without(command, "--x", add=("--x=2",)).arguments == ("--x", "2", "y=1", "z")
    assert without(command, "y", add=("y=a=b",)).arguments == ("--x", "1", "y=a=b", "z")


@given(st.lists(st.text("abc-=1. ", max_size=6), max_size=12))
def test_leaving_out_nothing_changes_nothing_and_everything_leaves_no_setting(words: list[str]) -> None:
    """For any command line: no word is lost, and none of a setting stays."""
    command = ProgramCommand((), ("python", "t.py"), tuple(words))
    settings = settings_of(command)
    assert vary(command, settings, Variation()) == command
    bare = vary(command, settings, Variation.without(settings))
    assert len(bare.arguments) == len(words) - sum(len(setting.words) for setting in settings.values())

"""MaxText's entry points, configuration files and published launches."""

from pathlib import Path

import pytest
from tests.launch.reading import launch_of, paste_of, place

from tpuguru.base.errors import NothingToCheckError
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.registry import launches, require_launches
from tpuguru.launch.reader import read_paste_file

PUBLISHED = sorted(Path("examples/maxtext/published").glob("*.sh"))


@pytest.mark.parametrize(
    "start",
    [
        "python3 -m maxtext.trainers.pre_train.train",
        "python3 -m maxtext.trainers.pre_train.train_compile",
        "python -u -X faulthandler -m maxtext.trainers.post_train.sft.train_sft",
        "python3 -m MaxText.train",
        "python3 -m src.MaxText.train",
        "python3.12 MaxText/train.py",
        "/usr/bin/python3 src/MaxText/train.py",
        "python3 maxtext/MaxText/train_compile.py",
        "$PYTHON -m MaxText.train_compile",
        "${PYTHON:-python3} src/maxtext/trainers/pre_train/train.py",
    ],
)
def test_entry_points_old_and_new(start: str) -> None:
    """Recipes of four years start MaxText in all these ways."""
    launch = launch_of(f"{start} base.yml steps=3")
    assert (launch.framework, launch.config_path, launch.setting("steps") is not None) == (
        "maxtext",
        "base.yml",
        True,
    )


@pytest.mark.parametrize(
    "text",
    [
        "python3 -m pip install maxtext",
        "echo python3 -m MaxText.train",
        "python3 train_gpt.py x.yml a=1",
        "ls MaxText/train.py",
    ],
)
def test_what_is_no_launch(text: str) -> None:
    """Naming MaxText is not starting it."""
    assert launches(paste_of(text)) == []


def test_duplicates_last_wins() -> None:
    """The earlier one knows the place of the later."""
    launch = launch_of("python3 -m MaxText.train c.yml steps=1 run_name=a steps=2")
    first, _, second = launch.settings
    winner = launch.setting("steps")
    assert winner is second
    assert first.overridden_by == second.location
    assert second.overridden_by is None


def test_words_that_maxtext_does_not_take_are_noted() -> None:
    """A stray word or an unresolved variable is said, not swallowed."""
    launch = launch_of("python3 -m MaxText.train c.yml --steps 3 $EXTRA lr=1")
    assert [note.kind for note in launch.notes] == ["unexpected-word", "unexpected-word", "unresolved-word"]


def test_key_with_a_partly_unknown_value() -> None:
    """`run_name=x-$(date)` is still a run name."""
    setting = launch_of('python3 -m MaxText.train c.yml run_name="x-$(date)-${USER}"').settings[0]
    assert setting.key == "run_name"
    assert isinstance(setting.text, Unknown)


def test_configuration_file_pasted_alone(tmp_path: Path) -> None:
    """A MaxText YAML is a launch of its own; its keys are settings of source «file»."""
    path = tmp_path / "mine.yml"
    path.write_text(
        "# tuned\nbase_config: base.yml\nsteps: 3 # short\nper_device_batch_size: 4\nmesh: [a, b]\nsteps: 5\n"
    )
    (launch,) = launches(read_paste_file(str(path)))
    assert {setting.key: setting.text for setting in launch.settings}["mesh"] == "[a, b]"
    assert launch.settings[1].source.value == "file"
    assert launch.settings[1].overridden_by == launch.settings[4].location
    assert place(launch, "steps") == "6:1"
    assert [comment.text for comment in launch.comments] == ["# tuned", "# short"]
    assert [location.line for location in launch.comments[1].covers] == [3]


def test_benchmark_runner_names_a_recipe() -> None:
    """The published Trillium recipes start through MaxText's benchmark runner."""
    launch = launch_of(
        "python3 -m benchmarks.benchmark_runner xpk --model_name=gpt_3_175b --device_type=v6e-256 --num_slices=1"
    )
    assert {setting.key: setting.text for setting in launch.target} == {
        "device_type": "v6e-256",
        "num_slices": "1",
    }
    assert launch.settings[0].key == "--model_name"
    assert "benchmark-recipe" in {note.kind for note in launch.notes}


def test_nothing_to_check_is_one_sentence() -> None:
    """A paste without a launch says what it does hold."""
    with pytest.raises(
        NothingToCheckError, match=r"holds no launch of .*maxtext.*the commands in it start ls, make"
    ):
        require_launches(paste_of("ls -l\nmake all"))
    with pytest.raises(NothingToCheckError, match="is empty"):
        require_launches(paste_of(" \n"))


def test_all_rows_of_the_table_are_there() -> None:
    """A1 to A28."""
    assert [path.name.split("-")[0] for path in PUBLISHED] == [f"a{number:02}" for number in range(1, 29)]


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem[:24])
def test_published_launch_reads(path: Path) -> None:
    """One launch, its model or shape, every setting placed in the file, nothing left over."""
    (launch,) = launches(read_paste_file(str(path)))
    keys = {setting.key for setting in launch.settings}
    assert {"model_name", "base_emb_dim", "global_parameter_scale", "--model_name"} & keys
    assert all(setting.location and setting.location.path == str(path) for setting in launch.settings)
    assert not [
        note for note in launch.notes if note.kind in ("syntax-error", "unexpected-word", "unresolved-word")
    ]

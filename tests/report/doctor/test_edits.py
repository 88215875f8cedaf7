"""What a Fix proposes, read from its text, and what becomes of the command."""

from tests.frameworks.relax.scripts import launch_of

from tpuguru.base.location import Location
from tpuguru.frameworks.relax.plan import Edit, changes_anything, edited
from tpuguru.launch.reader import read_paste
from tpuguru.report.doctor.edits import edits_of
from tpuguru.report.doctor.places import place_text


def test_the_three_words() -> None:
    """Each line's first quoted flags are the change; other lines are for people."""
    fix = (
        "Remove `--use-kl-loss --kl-loss-coef`.\nKeep `--ref-load`.\n"
        "Set `--max-tokens-per-gpu 4096` or `--other 1`.\nOr take `--third`.\n"
        "Add `--recompute-modules moe_act layernorm --balance-data`."
    )
    assert edits_of(fix) == (
        Edit("use-kl-loss"),
        Edit("kl-loss-coef"),
        Edit("max-tokens-per-gpu", "4096"),
        Edit("recompute-modules", "moe_act layernorm"),
        Edit("balance-data", ""),
    )


def test_prose_proposes_no_change() -> None:
    """A Fix in words is shown and not applied."""
    assert edits_of("Remove them, or keep them in a script with debug in its name.") == ()
    assert edits_of("") == ()


def test_edits_change_a_copy() -> None:
    """Flags go, come and get other values; the launch that was read stays."""
    launch = launch_of("--tp-size 4 --colocate --use-kl-loss")
    after = edited(launch, (Edit("use-kl-loss"), Edit("tp-size", "2"), Edit("balance-data", "")))
    assert [setting.key for setting in launch.settings] == ["tp-size", "colocate", "use-kl-loss"]
    assert {setting.key: setting.text for setting in after.settings} == {
        "colocate": "",
        "tp-size": "2",
        "balance-data": "",
    }


def test_edits_that_change_nothing() -> None:
    """Taking away what is not there, or putting what is, is no step of a plan."""
    launch = launch_of("--tp-size 4 --colocate")
    assert not changes_anything(launch, (Edit("absent"), Edit("tp-size", "4"), Edit("colocate", "")))
    assert changes_anything(launch, (Edit("tp-size", "2"),))
    assert changes_anything(launch, (Edit("absent", ""),))


def test_the_array_around_a_setting() -> None:
    """Named when the line is inside one; otherwise file and line suffice."""
    text = "A=(\n  --one 1\n)\nB+=(\n  --two 2\n)\ntrain --three 3\n"
    paste = read_paste(text, "run.sh")
    assert place_text(Location("run.sh", 2), paste) == "run.sh:2, A"
    assert place_text(Location("run.sh", 5), paste) == "run.sh:5, B"
    assert place_text(Location("run.sh", 7), paste) == "run.sh:7"
    assert place_text(Location("models/m.sh", 2), paste) == "models/m.sh:2"

"""Relax launches for tests: our example scripts, and small ones made of flags."""

from dataclasses import replace
from pathlib import Path

from tpuguru.facts.factset import Facts
from tpuguru.facts.value import FactValue, Unknown
from tpuguru.frameworks.registry import require_launches
from tpuguru.frameworks.relax.facts import derive
from tpuguru.launch.model import Launch, Setting, SettingSource
from tpuguru.launch.reader import read_paste, read_paste_file

EXAMPLES = Path(__file__).parents[3] / "examples" / "relax"
TRAINING = EXAMPLES / "training"


def example_scripts() -> list[Path]:
    """Return every example script that launches something."""
    return sorted(TRAINING.rglob("*.sh"))


def model_flags(name: str) -> str:
    """Return the flags of one of our model configurations, as they stand in its array."""
    text = (EXAMPLES / "models" / f"{name}.sh").read_text(encoding="utf-8")
    flags = text.partition("MODEL_ARGS=(")[2].rpartition(")")[0]
    return " ".join(line for line in flags.split("\n") if "MOE_FREQ" not in line).replace("\n", " ")


def example_launch(name: str) -> Launch:
    """Return the only launch of an example script, by its file name."""
    path = next(path for path in example_scripts() if path.name == name)
    (launch,) = require_launches(read_paste_file(str(path)))
    return launch


def launch_of(flags: str, path: str = "run.sh", before: str = "") -> Launch:
    """Return the launch of a one-command script with these flags."""
    text = f"{before}\nray job submit -- python3 -m relax.entrypoints.train {flags}\n"
    (launch,) = require_launches(read_paste(text, path))
    return launch


def with_option(launch: Launch, key: str, text: str) -> Launch:
    """Return the launch as an option of the command line makes it."""
    option = Setting(key, text, SettingSource.FILLED_IN)
    return replace(launch, target=(*launch.target, option))


def value(facts: Facts, name: str) -> FactValue | Unknown:
    """Return a fact's value."""
    return facts.get(f"relax.{name}").value


def number(facts: Facts, name: str) -> float:
    """Return a fact that must be a known number."""
    found = value(facts, name)
    assert isinstance(found, int | float), f"{name} is {found}"
    return float(found)


def unknown(facts: Facts, name: str) -> Unknown:
    """Return a fact that must be unknown."""
    found = value(facts, name)
    assert isinstance(found, Unknown), f"{name} is {found}"
    return found


def facts_of(flags: str, path: str = "run.sh", before: str = "") -> Facts:
    """Return the facts of a one-command script."""
    return derive(launch_of(flags, path, before))


COLOCATE_8 = """--resource '{"actor": [1, 8], "rollout": [1, 8]}' --colocate"""

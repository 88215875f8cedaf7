"""A launch inside a paste: what it said joins what was observed, for its framework's rules."""

from tpuguru.base.errors import TpuguruError
from tpuguru.facts.factset import Facts
from tpuguru.frameworks.interface import all_frameworks
from tpuguru.frameworks.registry import launches
from tpuguru.launch.reader import read_paste

_MOST_CHARACTERS = 64 * 2**10  # a launch stands at the head of what people paste


def said_facts(text: str, path: str) -> Facts | None:
    """Return the SAID facts of the first launch in the text; None when there is none or it cannot be read."""
    try:
        found = launches(read_paste(text[:_MOST_CHARACTERS], path))
    except TpuguruError:
        return None  # a log is not a script: what it quotes may be half a command
    if not found:
        return None
    framework = next(each for each in all_frameworks() if each.name == found[0].framework)
    return framework.facts(found[0])

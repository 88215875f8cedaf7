"""Facts of an example that is a launch: read as a paste of that name, by the framework that knows it."""

import re

from tpuguru.base.errors import UsageError
from tpuguru.facts.factset import Facts
from tpuguru.report.lint.run import framework_of, launches_of
from tpuguru.rules.model import Example

_FILE_NAME = re.compile(r"\s*#\s*file:\s*(\S+)\s*\n")


def launch_facts(example: Example) -> Facts:
    """Return the facts of a launch example. UsageError unless it holds exactly one launch."""
    from tpuguru.launch.reader import read_paste  # noqa: PLC0415

    text = example.body.text
    named = _FILE_NAME.match(text)
    paste = read_paste(text, named[1] if named else "example.sh")
    launches = launches_of(paste)
    if len(launches) != 1:
        raise UsageError(f"the example holds {len(launches)} launches, not one")
    return framework_of(launches[0]).facts(launches[0])

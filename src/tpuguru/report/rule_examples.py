"""Read the examples of rules that are launches or pastes, by the same readers that users meet."""

from tpuguru.base.errors import UsageError
from tpuguru.facts.factset import Facts
from tpuguru.rules.model import Example


def example_facts(example: Example) -> Facts:
    """Return the facts of a launch or paste example. UsageError when it cannot be read."""
    if example.language == "paste":
        return _paste_facts(example.body.text)
    return _launch_facts(example)


def _paste_facts(text: str) -> Facts:
    from tpuguru.telemetry.facts import observed_facts  # noqa: PLC0415
    from tpuguru.telemetry.scan import scan  # noqa: PLC0415

    return observed_facts(scan([text.encode()]), "<example>")


def _launch_facts(example: Example) -> Facts:
    from tpuguru.frameworks.interface import all_frameworks  # noqa: PLC0415
    from tpuguru.frameworks.registry import require_launches  # noqa: PLC0415
    from tpuguru.launch.reader import read_paste  # noqa: PLC0415

    text = example.body.text
    first = text.partition("\n")[0]
    path = first.removeprefix("# file:").strip() if first.startswith("# file:") else "<example>"
    launches = require_launches(read_paste(text, path))
    if len(launches) != 1:
        raise UsageError(f"the example holds {len(launches)} launches, not one")
    launch = launches[0]
    framework = next(found for found in all_frameworks() if found.name == launch.framework)
    return framework.facts(launch)

"""MaxText: pre-training on TPUs with JAX."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.facts.factset import Facts
    from tpuguru.facts.finding import Finding
    from tpuguru.launch.model import Command, Launch, Paste


class MaxText:
    """The framework object; every heavy import waits until it is needed."""

    name = "maxtext"

    def recognises(self, command: "Command") -> bool:
        """Tell whether the command starts MaxText, or is one of its configuration files."""
        from tpuguru.frameworks.maxtext.recognise import recognises  # noqa: PLC0415

        return recognises(command)

    def read(self, paste: "Paste", command: "Command") -> "Launch":
        """Normalise the command."""
        from tpuguru.frameworks.maxtext.recognise import read  # noqa: PLC0415

        return read(paste, command)

    def facts(self, launch: "Launch") -> "Facts":
        """Derive SAID facts from the launch, MaxText's defaults and the slice it names."""
        from tpuguru.frameworks.maxtext.facts import derive  # noqa: PLC0415

        return derive(launch)

    def refusals(self, launch: "Launch") -> "tuple[Finding, ...]":
        """Return what MaxText would refuse: unknown and renamed keys, wrong values, contradictions."""
        from tpuguru.frameworks.maxtext.resolve import static_resolve  # noqa: PLC0415

        return tuple(static_resolve(launch).findings)


FRAMEWORK = MaxText()

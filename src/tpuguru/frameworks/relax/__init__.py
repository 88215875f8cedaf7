"""Relax: reinforcement learning and fine-tuning with Ray, Megatron and SGLang."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.facts.factset import Facts
    from tpuguru.launch.model import Command, Launch, Paste


class Relax:
    """The framework object; every heavy import waits until it is needed."""

    name = "relax"

    def recognises(self, command: "Command") -> bool:
        """Tell whether the command starts Relax's training entry point."""
        from tpuguru.frameworks.relax.recognise import recognises  # noqa: PLC0415

        return recognises(command)

    def read(self, paste: "Paste", command: "Command") -> "Launch":
        """Normalise the command."""
        from tpuguru.frameworks.relax.recognise import read  # noqa: PLC0415

        return read(paste, command)

    def facts(self, launch: "Launch") -> "Facts":
        """Derive SAID facts from the flags, the model configuration, the file name and the memory model."""
        from tpuguru.frameworks.relax.facts import derive  # noqa: PLC0415

        return derive(launch)


FRAMEWORK = Relax()

"""What a framework's folder provides. Adding a framework is adding a folder with a ``FRAMEWORK`` object."""

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol

from tpuguru import frameworks
from tpuguru.facts.factset import Facts
from tpuguru.launch.model import Command, Launch, Paste


class Framework(Protocol):
    """A framework: recognises its commands, reads them into launches, derives facts."""

    name: str

    def recognises(self, command: Command) -> bool:
        """Tell whether the command starts this framework."""

    def read(self, paste: Paste, command: Command) -> Launch:
        """Normalise the command: settings with places, duplicates marked, flags split."""

    def facts(self, launch: Launch) -> Facts:
        """Derive SAID facts, without a toolchain: from the launch, default tables and model data."""


def all_frameworks() -> Iterator[Framework]:
    """Yield every framework under ``frameworks/``."""
    for module in iter_modules(frameworks.__path__):
        if module.ispkg:
            framework: Framework = import_module(f"{frameworks.__name__}.{module.name}").FRAMEWORK
            yield framework

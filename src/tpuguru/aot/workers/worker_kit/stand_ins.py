"""Empty modules in place of telemetry clients that take seconds to import and are no part of a program."""

import importlib.abc
import importlib.machinery
import sys
import types


class _StandIn(types.ModuleType):
    """A module whose every public name is an empty class."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def find_spec(self, name, path, target=None):  # noqa: ARG002 - the import system's signature
        if any(name == known or name.startswith(known + ".") for known in self._names):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module) -> None:
        """Leave the stand-in empty."""


def install_stand_ins(*names: str) -> None:
    """Let ``import NAME`` (and its submodules) give a stand-in. Call before the framework is imported."""
    sys.meta_path.insert(0, _Finder(names))

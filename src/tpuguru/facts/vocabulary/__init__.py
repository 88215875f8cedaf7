"""The vocabulary: one module a namespace, each with a tuple ``FIELDS``. Adding a file adds its facts."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from tpuguru.facts.schema import Vocabulary


@cache
def vocabulary() -> Vocabulary:
    """Return every declared fact."""
    modules = (import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__))
    return Vocabulary(tuple(field for module in modules for field in module.FIELDS))

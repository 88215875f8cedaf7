"""The variables of a script while it is read, and the limits that keep the reading bounded."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tpuguru.base.location import Location
from tpuguru.launch.source import Source, Traced

if TYPE_CHECKING:
    from tree_sitter import Node

type Array = dict[int | str, Traced]

MAXIMUM_PIECES = 2_000  # places remembered in one value
MAXIMUM_TEXT = 1 << 20  # characters in one value: «a=$a$a» in a loop must not fill the memory
MAXIMUM_WORDS = 20_000  # words in one list: «$(seq 1 1000000000)»
MAXIMUM_STEPS = 20_000  # statements in one reading: «for ((;;))»
MAXIMUM_SUBSTITUTIONS = 8  # $(…) in $(…)
MAXIMUM_DEPTH = 40  # functions in functions, scripts in scripts, strings in strings


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable: a text or an array, whether it is exported, and where it was set last."""

    value: Traced | Array
    exported: bool = False
    location: Location | None = None


@dataclass(slots=True)
class Scope:
    """The state of one shell process. Copied for a subshell."""

    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, tuple[Source, "Node"]] = field(default_factory=dict)
    positionals: list[Traced] | None = None  # None: the arguments of the script itself, which nobody pasted
    export_all: bool = False

    def fork(self) -> "Scope":
        """Return the scope of a subshell: sees everything, changes nothing here."""
        return Scope(dict(self.variables), dict(self.functions), self.positionals, self.export_all)

    def text(self, name: str) -> Traced | None:
        """Return a variable's text (an array's element 0), or None when it is unset."""
        variable = self.variables.get(name)
        if variable is None:
            return None
        if isinstance(variable.value, dict):
            return variable.value.get(0)
        return variable.value

    def elements(self, name: str) -> list[Traced]:
        """Return an array's elements in order; a text is an array of one; unset is empty."""
        variable = self.variables.get(name)
        if variable is None:
            return []
        return list(variable.value.values()) if isinstance(variable.value, dict) else [variable.value]

    def set_text(self, name: str, value: Traced, location: Location | None) -> None:
        """Set a variable's text, keeping its export mark; element 0 of an array."""
        old = self.variables.get(name)
        if old is not None and isinstance(old.value, dict):
            self.variables[name] = replace(old, value={**old.value, 0: value}, location=location)
            return
        exported = self.export_all or (old.exported if old else False)
        self.variables[name] = Variable(value, exported, location)

    def set_array(self, name: str, value: Array, location: Location | None) -> None:
        """Replace a whole array."""
        self.variables[name] = Variable(value, exported=False, location=location)

    def set_element(self, name: str, index: int | str, value: Traced, location: Location | None) -> None:
        """Set one element of an array."""
        old = self.variables.get(name)
        array = dict(old.value) if old and isinstance(old.value, dict) else {}
        if old and not isinstance(old.value, dict):
            array[0] = old.value
        array[index] = value
        if isinstance(index, int):
            array = dict(sorted(array.items(), key=lambda item: item[0] if isinstance(item[0], int) else 0))
        self.variables[name] = Variable(array, exported=False, location=location)

    def export(self, name: str, location: Location | None = None) -> None:
        """Mark a variable as exported, if it is set."""
        old = self.variables.get(name)
        if old is not None:
            self.variables[name] = replace(old, exported=True, location=location or old.location)

    def exported(self) -> Iterator[tuple[str, Traced, Location | None]]:
        """Yield name, value and place of what a child process would see, in the order of setting."""
        for name, variable in self.variables.items():
            if variable.exported and isinstance(variable.value, Traced):
                yield name, variable.value, variable.location

"""The variables that an arithmetic expression reads and assigns."""

from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.shell.arithmetic import NotComputableError, evaluate

if TYPE_CHECKING:
    from tpuguru.launch.shell.interpreter import Shell


class Numbers:
    """Adapts a shell's state to integers."""

    def __init__(self, shell: "Shell") -> None:
        """Serve one shell."""
        self.shell = shell
        self.assumes: set[str] = set()

    def evaluate(self, text: str) -> int:
        """Return an expression's value. NotComputableError when a part is unknown or it is no arithmetic."""
        self.assumes = set()
        return evaluate(text, self)

    def number(self, name: str, index: int | None) -> int:
        """Return a variable as an integer; a name the paste never sets is not computable rather than 0."""
        value = (
            self.shell.lookup(name, self.shell.source, 0, 0)
            if index is None
            else self.shell.element(name, index)
        )
        if value is None:
            self.assumes.add(name)
            if not self.shell.is_set(name):
                raise NotComputableError(f"{name} is not set in what was pasted")
            return 0
        self.assumes |= value.assumes
        if isinstance(value.text, Unknown):
            raise NotComputableError(value.text.reason)
        return self._integer(value.text.strip(), name)

    def _integer(self, text: str, name: str) -> int:
        if not text or text == name:
            return 0
        if text.isascii() and text.lstrip("+-").isdigit() and len(text) < 20 and text.lstrip("+-")[0] != "0":
            try:
                return int(text)
            except ValueError:
                raise NotComputableError(f"{text} is no number") from None
        if not self.shell.enter():
            raise NotComputableError("nested too deep")
        try:
            return evaluate(text, self)
        finally:
            self.shell.leave()

    def assign(self, name: str, index: int | None, value: int) -> None:
        """Set a variable from an arithmetic assignment."""
        made = self.shell.made(str(value), self.shell.source, 0, 0)
        if index is None:
            self.shell.scope.set_text(name, made, None)
        else:
            self.shell.scope.set_element(name, index, made, None)

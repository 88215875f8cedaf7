"""A set of facts about one launch or run."""

from collections.abc import Callable, Iterable, Iterator

from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.schema import NEEDS, Vocabulary
from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.facts.vocabulary import vocabulary


class Facts:
    """Values by declared name. A declared fact that was never set reads as unknown, with what it needs."""

    def __init__(self, known: Iterable[tuple[str, Value]] = (), *, schema: Vocabulary | None = None) -> None:
        """Start from ``known`` pairs; KeyError for a name that the vocabulary does not declare."""
        self.schema = schema or vocabulary()
        self._values: dict[str, Value] = {}
        self._deferred: dict[str, Callable[[], Value]] = {}
        for name, value in known:
            self.put(name, value)

    def put(self, name: str, value: Value) -> None:
        """Set a fact; a later value replaces an earlier one. KeyError for an undeclared name."""
        if name not in self.schema:
            raise KeyError(f"fact {name} is not in the vocabulary")
        self._values[name] = value
        self._deferred.pop(name, None)

    def defer(self, name: str, compute: Callable[[], Value]) -> None:
        """Set a fact that is computed when it is first read, for what few rules ask and costs time."""
        if name not in self.schema:
            raise KeyError(f"fact {name} is not in the vocabulary")
        self._values.pop(name, None)
        self._deferred[name] = compute

    def set(self, name: str, value: FactValue | Unknown, kind: OriginKind, detail: str = "") -> None:
        """Set a fact from its parts; a shorthand for :meth:`put`."""
        self.put(name, Value(value, Origin(kind, detail)))

    def get(self, name: str) -> Value:
        """Return the fact, or an unknown that says what would settle it. KeyError for an undeclared name."""
        found = self._values.get(name)
        if found is not None:
            return found
        if name in self._deferred:
            found = self._values[name] = self._deferred.pop(name)()
            return found
        field = self.schema.get(name)
        if field is None:
            raise KeyError(f"fact {name} is not in the vocabulary")
        return Value(Unknown("not stated", NEEDS[field.stage]), Origin(OriginKind.DERIVED))

    def update(self, other: "Facts") -> None:
        """Take over every fact of ``other``, replacing same-named ones."""
        for name, value in other:
            self._values[name] = value

    def __iter__(self) -> Iterator[tuple[str, Value]]:
        for name in tuple(self._deferred):
            self.get(name)
        return iter(self._values.items())

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._deferred

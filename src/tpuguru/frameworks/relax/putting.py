"""Puts facts with their origin: the flag that states it, or the flags it follows from."""

from collections.abc import Callable

from tpuguru.base.errors import UsageError
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.frameworks.relax.flags import Flags, NotKnownError

type Work = Callable[[], FactValue]


class Putter:
    """Puts ``relax.*`` facts of one launch."""

    def __init__(self, facts: Facts, flags: Flags) -> None:
        """Keep the facts that are filled and the flags that origins point at."""
        self.facts = facts
        self.flags = flags

    def stated(self, name: str, work: Work, *keys: str) -> None:
        """Put what the first written flag of ``keys`` says; without one it is a default."""
        self.facts.put(f"relax.{name}", Value(told(work), self.flags.origin(*keys)))

    def derived(self, name: str, work: Work, *keys: str) -> None:
        """Put what follows from flags; its place is the first of them that is written."""
        self.facts.put(f"relax.{name}", Value(told(work), self.following(*keys)))

    def deferred(self, name: str, work: Work, *keys: str) -> None:
        """Put what follows from flags and is computed only when a rule asks."""
        origin = self.following(*keys)
        self.facts.defer(f"relax.{name}", lambda: Value(told(work), origin))

    def put(self, name: str, value: FactValue | Unknown, origin: Origin) -> None:
        """Put a value with its origin."""
        self.facts.put(f"relax.{name}", Value(value, origin))

    def following(self, *keys: str) -> Origin:
        """Return the origin of what follows from ``keys``."""
        written = tuple(f"--{key}" for key in keys if key in self.flags)
        detail = "from " + ", ".join(written) if written else "from defaults"
        return Origin(OriginKind.DERIVED, detail, self.flags.origin(*keys).location)


def told(work: Work) -> FactValue | Unknown:
    """Return what the work gives, or the unknown that it raises."""
    try:
        return work()
    except NotKnownError as error:
        return error.unknown
    except UsageError as error:
        return Unknown(error.message, "parallel sizes that divide the GPUs")

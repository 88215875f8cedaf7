"""What to compile: a launch as its framework takes it, the hardware it names, and what to keep."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from tpuguru.base.units import GiB


class Step(StrEnum):
    """How far to go; each step includes those before it."""

    RESOLVE = "resolve"
    LOWER = "lower"
    COMPILE = "compile"


@dataclass(frozen=True, slots=True)
class Target:
    """The hardware: a slice by the framework's own name (``v6e-8``), and how many of them.

    ``arguments`` are those of JAX's ``get_topology_desc`` and ``devices_per_slice`` its number of devices;
    they are needed only for a slice that the framework has no name for.
    """

    topology: str
    slices: int = 1
    devices_per_slice: int = 0
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CompilerFlags:
    """Compiler flags by the door they come through; each word keeps its dashes (``--xla_…=…``)."""

    libtpu_init_args: tuple[str, ...] = ()
    xla_flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Dump:
    """What the compiler should write beside its result."""

    hlo: bool = True
    llo: bool = False
    locations: bool = False


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run is stopped: wall-clock seconds, resident bytes of its processes, bytes it may write."""

    seconds: float = 3600.0
    memory_bytes: int = 0  # 0: nine tenths of the machine's memory
    disk_bytes: int = 8 * GiB


@dataclass(frozen=True, slots=True)
class AotJob:
    """A question for the compiler. Two equal questions are answered once."""

    toolchain: str
    target: Target
    overrides: tuple[tuple[str, str], ...] = ()
    config_name: str = ""
    config_text: str = ""
    flags: CompilerFlags = CompilerFlags()
    environment: tuple[tuple[str, str], ...] = ()
    until: Step = Step.COMPILE
    dump: Dump = Dump()
    limits: Limits = Limits()
    executor: str = "local"

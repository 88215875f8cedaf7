"""What the caller of the reader knows beyond the files."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class MeshAxis:
    """One mesh axis: its name and how many devices it spans over all slices."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class ExtractRequest:
    """Everything is optional; what is not given is read from the files, else named as missing.

    ``mesh`` is ordered, major axis first, size-1 axes included; ``partitions`` yields to the files' own
    count; ``requested_flags`` has names without leading dashes; ``memory_stats`` holds CompiledMemoryStats
    figures by name (``argument_size_in_bytes`` …); ``compile_seconds`` maps phases to seconds;
    ``hbm_limit_bytes`` is per device and yields to a limit the compiler itself printed; ``optimised`` is HLO
    text to read in place of the folder's own; ``compiler_message`` is an error message kept apart from the
    log; ``module`` picks a program by name when a folder holds several (default: the largest).
    """

    mesh: tuple[MeshAxis, ...] = ()
    slices: int = 1
    partitions: int | None = None
    requested_flags: Mapping[str, str] = field(default_factory=dict)
    memory_stats: Mapping[str, int] | None = None
    compile_seconds: Mapping[str, float] = field(default_factory=dict)
    stablehlo: Path | None = None
    optimised: Path | None = None
    log: Path | None = None
    compiler_message: str = ""
    hbm_limit_bytes: int | None = None
    module: str | None = None

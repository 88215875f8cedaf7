"""What a run left: its state, why it failed, what it measured, where its files are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class RunState(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"


class FailureKind(StrEnum):
    """Why a run failed. The verdict kinds are answers about the launch; the others are about this machine."""

    CONFIG_REJECTED = "config-rejected"
    LOWER_FAILED = "lower-failed"
    HBM_OOM = "hbm-oom"
    VMEM_OOM = "vmem-oom"
    FLAG_REJECTED = "flag-rejected"
    COMPILER_ABORT = "compiler-abort"
    COMPILE_FAILED = "compile-failed"
    OUT_OF_TIME = "out-of-time"
    OUT_OF_MEMORY = "out-of-memory"
    DISK_FULL = "disk-full"
    TOOLCHAIN_BROKEN = "toolchain-broken"
    WORKER_LOST = "worker-lost"

    @property
    def is_verdict(self) -> bool:
        """Whether asking again gives the same answer, so that it is kept."""
        return self in _VERDICTS


_VERDICTS = frozenset(
    {
        FailureKind.CONFIG_REJECTED,
        FailureKind.LOWER_FAILED,
        FailureKind.HBM_OOM,
        FailureKind.VMEM_OOM,
        FailureKind.FLAG_REJECTED,
        FailureKind.COMPILER_ABORT,
        FailureKind.COMPILE_FAILED,
    }
)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure: its kind, the phase, the compiler's error code if it gave one, and what was said."""

    kind: FailureKind
    message: str
    phase: str = ""
    code: str = ""
    exception: str = ""
    raised_in: str = ""


@dataclass(frozen=True, slots=True)
class Phase:
    """One phase of a run with its wall-clock and CPU seconds."""

    name: str
    seconds: float
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class MemoryAnalysis:
    """The compiler's memory statistics, in bytes per device."""

    argument: int = 0
    output: int = 0
    temporary: int = 0
    alias: int = 0
    generated_code: int = 0
    host_argument: int = 0
    host_output: int = 0
    host_temporary: int = 0
    host_alias: int = 0
    host_generated_code: int = 0
    peak: int = 0

    @property
    def fit_bytes(self) -> int:
        """What one device needs: argument + temporary + output - alias.

        ``peak`` is not it: with host offload it counts host bytes as well (l70b on v6e-32: 57.33 GiB on a
        device of 31.24 GiB that fits, 45.00 GiB of which are in host memory).
        """
        return self.argument + self.temporary + self.output - self.alias


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as stored in ``record.json``."""

    run_id: str
    state: RunState
    toolchain: str
    lock_sha256: str
    versions: Mapping[str, str] = field(default_factory=dict)
    topology: str = ""
    slices: int = 1
    until: str = ""
    executor: str = "local"
    failure: Failure | None = None
    phases: tuple[Phase, ...] = ()
    stablehlo_sha256: str = ""
    optimized_sha256: str = ""
    mesh: Mapping[str, int] = field(default_factory=dict)
    host_offload_annotations: int = 0
    memory: MemoryAnalysis | None = None
    cost: Mapping[str, float] = field(default_factory=dict)
    peak_rss_bytes: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    folder: Path = Path()

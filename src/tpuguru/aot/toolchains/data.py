"""The toolchains that come with tpuguru, read from ``toolchains/<name>/toolchain.toml``."""

from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import ToolFailureError
from tpuguru.base.locations import data_directory


@dataclass(frozen=True, slots=True)
class ToolchainData:
    """One toolchain's file. ``disk_bytes`` is what the environment needs on disk.

    ``root`` holds requirements, one a line; ``without`` packages that they ask for and that are left out.
    """

    framework: str
    version: str
    root: str
    python: str
    platform: str
    worker: str
    stack: tuple[str, ...]
    smoke: tuple[str, ...]
    disk_bytes: int
    notice: str
    lock: Path
    without: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """The name people use."""
        return f"{self.framework}=={self.version}"


def shipped_toolchains() -> list[ToolchainData]:
    """Return every toolchain that comes with tpuguru, in order of name."""
    return [_read(path) for path in sorted(data_directory("toolchains").glob("*/toolchain.toml"))]


def _read(path: Path) -> ToolchainData:
    import tomllib  # noqa: PLC0415

    try:
        fields = tomllib.loads(path.read_text(encoding="utf-8"))
        fields |= {name: tuple(fields.get(name, ())) for name in ("stack", "smoke", "without")}
        return ToolchainData(**fields, lock=path.with_name("requirements.txt"))
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise ToolFailureError(f"the toolchain file {path} cannot be read: {error}") from error

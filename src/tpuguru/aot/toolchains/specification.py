"""Read ``maxtext==0.2.5,jax==0.12.0,libtpu==0.0.50``: a toolchain and the packages to replace in it."""

import re
from dataclasses import dataclass

from tpuguru.base.errors import UsageError


@dataclass(frozen=True, slots=True)
class Specification:
    """A framework at a version, and pins that replace packages of its lock, sorted."""

    framework: str
    version: str
    pins: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The folder name of the base: ``maxtext-0.2.5``."""
        return f"{self.framework}-{self.version}"

    @property
    def key(self) -> str:
        """The canonical spelling."""
        return ",".join(
            f"{name}=={version}" for name, version in ((self.framework, self.version), *self.pins)
        )


def parse_specification(text: str) -> Specification:
    """Read a toolchain's name; UsageError for anything but ``package==version`` words with commas."""
    pairs = [_pair(word, text) for word in text.split(",")]
    (framework, version), *pins = pairs
    if len(dict(pins)) < len(pins):
        raise UsageError(f"toolchain {text!r} pins a package twice")
    return Specification(framework, version, tuple(sorted(pins)))


def _pair(word: str, text: str) -> tuple[str, str]:
    # Anchored and narrow: these words become arguments of uv.
    match = re.fullmatch(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*==\s*([A-Za-z0-9][A-Za-z0-9.+!_-]*)\s*", word)
    if match is None:
        raise UsageError(
            f"toolchain {text!r} is not of the form package==version",
            help="for example: --toolchain maxtext==0.2.5,jax==0.12.0,libtpu==0.0.50",
        )
    return re.sub(r"[-_.]+", "-", match[1]).lower(), match[2]

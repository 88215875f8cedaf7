"""Find a toolchain by the name a user gives."""

from tpuguru.aot.toolchains.data import ToolchainData, shipped_toolchains
from tpuguru.aot.toolchains.interface import Toolchain
from tpuguru.aot.toolchains.specification import Specification, parse_specification
from tpuguru.aot.toolchains.uv_toolchain import UvToolchain
from tpuguru.base.errors import UsageError
from tpuguru.base.suggest import did_you_mean


def all_toolchains() -> list[Toolchain]:
    """Return the toolchains that come with tpuguru, installed or not."""
    return [UvToolchain(Specification(data.framework, data.version), data) for data in shipped_toolchains()]


def find_toolchain(text: str) -> Toolchain:
    """Return the toolchain of ``maxtext==0.2.5[,package==version…]``.

    UsageError with the nearest when unknown.
    """
    specification = parse_specification(text)
    known = {(data.framework, data.version): data for data in shipped_toolchains()}
    data = known.get((specification.framework, specification.version))
    if data is None:
        raise _unknown(text, list(known.values()))
    return UvToolchain(specification, data)


def _unknown(text: str, known: list[ToolchainData]) -> UsageError:
    keys = [data.key for data in known]
    near = did_you_mean(text.split(",", maxsplit=1)[0], keys)
    return UsageError(
        f"no toolchain {text!r}",
        help=f"did you mean {near[0]}?" if near else f"toolchains: {', '.join(keys) or 'none'}",
    )

"""The environment that computes values for programs whose own environment has no JAX."""

from dataclasses import replace

from tpuguru.aot.toolchains import find_toolchain
from tpuguru.slice.rehearse import RehearsalRequest

_TOOLCHAIN = "values==0.12.0.1"


def with_values_toolchain(request: RehearsalRequest) -> RehearsalRequest:
    """Name the values toolchain in ``request`` if it is installed, and else how to get it.

    Nothing is downloaded here: a rehearsal needs no network, and 150 MB should surprise nobody.
    """
    toolchain = find_toolchain(_TOOLCHAIN)
    return replace(
        request,
        values_python=toolchain.python if toolchain.installed() else None,
        values_help=f"`tpuguru toolchain install {_TOOLCHAIN}` turns them on",
    )

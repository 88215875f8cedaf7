"""``tpuguru toolchain list|install|check|remove|lock``."""

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.aot.toolchains import Toolchain

SUMMARY = "List, install, check or remove the environments that hold a framework and its compiler."


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the action and the toolchain's name."""
    parser.add_argument("action", choices=["list", "install", "check", "remove", "lock"])
    parser.add_argument(
        "toolchain",
        nargs="?",
        metavar="NAME",
        help="maxtext==0.2.5, or with packages replaced: maxtext==0.2.5,jax==…,libtpu==…",
    )


def run(arguments: argparse.Namespace) -> int:
    """Do the action. Exit code 4 when a check finds something broken."""
    from tpuguru.aot.toolchains import all_toolchains, find_toolchain  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    if arguments.action == "list":
        return _list(all_toolchains())
    if arguments.toolchain is None:
        keys = ", ".join(toolchain.key for toolchain in all_toolchains())
        raise UsageError(f"toolchain {arguments.action} needs a toolchain's name", help=f"toolchains: {keys}")
    if arguments.action == "lock":
        return _lock(arguments.toolchain)
    toolchain = find_toolchain(arguments.toolchain)
    return {"install": _install, "check": _check, "remove": _remove}[arguments.action](toolchain)


def say(message: str) -> None:
    """Print progress where it does not mix with results."""
    print(message, file=sys.stderr, flush=True)


def _list(toolchains: list["Toolchain"]) -> int:
    for toolchain in toolchains:
        state = "installed" if toolchain.installed() else "not installed"
        versions = " ".join(f"{name} {version}" for name, version in toolchain.versions().items())
        print(f"{toolchain.key}  {state}  ({versions})")
    return 0


def _install(toolchain: "Toolchain") -> int:
    toolchain.install(say)
    print(toolchain.python)
    return 0


def _check(toolchain: "Toolchain") -> int:
    from tpuguru.base.errors import ToolFailureError  # noqa: PLC0415

    problem = toolchain.health_check()
    if problem is not None:
        raise ToolFailureError(f"the toolchain {toolchain.key} is broken: {problem}", help=repair(toolchain))
    print(f"{toolchain.key} is whole: {toolchain.python}")
    return 0


def _remove(toolchain: "Toolchain") -> int:
    toolchain.remove()
    say(f"{toolchain.key} is removed")
    return 0


def _lock(name: str) -> int:
    from tpuguru.aot.toolchains.data import shipped_toolchains  # noqa: PLC0415
    from tpuguru.aot.toolchains.locking import refresh  # noqa: PLC0415
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    for data in shipped_toolchains():
        if data.key == name:
            refresh(data)
            print(data.lock)
            return 0
    raise UsageError(f"no toolchain {name!r} comes with tpuguru")


def repair(toolchain: "Toolchain") -> str:
    """Return the command that makes a broken toolchain whole."""
    if not toolchain.installed():
        return f"tpuguru toolchain install '{toolchain.key}'"
    return f"tpuguru toolchain remove '{toolchain.key}' && tpuguru toolchain install '{toolchain.key}'"

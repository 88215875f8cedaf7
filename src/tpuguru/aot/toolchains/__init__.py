"""Toolchains: locked environments for a framework and its compiler, beside the core, never inside it."""

from tpuguru.aot.toolchains.catalog import all_toolchains, find_toolchain
from tpuguru.aot.toolchains.interface import Toolchain

__all__ = ["Toolchain", "all_toolchains", "find_toolchain"]

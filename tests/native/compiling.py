"""What the tests of the C++ sources share: where these are, and a compiler for test programs."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tpuguru.base.locations import data_directory
from tpuguru.slice.compiler import find_compiler

SOURCES = data_directory("native")
HERE = Path(__file__).parent

needs_compiler = pytest.mark.skipif(
    not any(shutil.which(name) for name in ("g++", "clang++", "c++")), reason="no system C++ compiler"
)


def compile_with(target: Path, *words: str) -> Path:
    """Compile with all warnings as errors; ``words`` are sources and options."""
    command = [*find_compiler(), "-std=c++17", "-Wall", "-Wextra", "-Werror", "-I", str(SOURCES)]
    built = subprocess.run(
        [*command, *words, "-o", str(target)], capture_output=True, text=True, timeout=300, check=False
    )
    assert built.returncode == 0, built.stderr[-3000:]
    return target

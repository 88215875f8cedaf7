"""A virtual slice for this very process: for library authors who test sharding code where no TPU is."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import cache_directory
from tpuguru.hardware.slices import Slice
from tpuguru.slice.interpreter import inspect_interpreter
from tpuguru.slice.library import plugin_library
from tpuguru.slice.settings import SliceSettings, tpu_slice
from tpuguru.slice.values.server import values_server

type Values = Literal["auto", "never"]


@dataclass(frozen=True, slots=True)
class VirtualSlice:
    """The slice in force: what it is, and the folder in which what happens is recorded."""

    slice: Slice
    records: Path


@contextmanager
def virtual_slice(
    name: str, *, values: Values = "auto", records: Path | None = None, hbm_bytes: int = 0
) -> Iterator[VirtualSlice]:
    """Make JAX see the TPU slice ``name`` (``v6e:2x2``, ``2xtpu7x-8``) inside the block.

    What is compiled is compiled by the real TPU compiler of this environment's libtpu. With
    ``values="auto"`` small programs are also computed, on the CPU; what is not known reads as NaN. Blocks
    may follow one another, not nest. Arrays and compiled functions of one block are of no use after it.

    UsageError when the name is no slice, libtpu is missing, or JAX already uses another backend.
    """
    tpu = tpu_slice(name)
    if os.environ.get("TPUGURU_SLICE_TOPOLOGY"):
        raise UsageError(
            "this process is on a virtual slice already; blocks follow one another, they do not nest"
        )
    interpreter = inspect_interpreter(Path(sys.executable))
    with ExitStack() as stack:
        folder = records or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tpuguru-slice-")))
        socket = ""
        if values == "auto" and interpreter.has_jaxlib:
            socket = str(stack.enter_context(values_server(str(interpreter.python))).socket)
        settings = SliceSettings(
            slice=tpu,
            library=plugin_library(),
            libtpu=interpreter.libtpu,
            records=folder,
            values_socket=socket,
            cache=cache_directory() / "slice" / "programs",
            hbm_bytes=hbm_bytes,
        )
        stack.enter_context(_fresh_backends())
        stack.enter_context(_environment(settings.environment()))
        yield VirtualSlice(tpu, folder)


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


@contextmanager
def _fresh_backends() -> Iterator[None]:
    """Let JAX make its backends anew inside the block, and forget them after it."""
    _forget_backends("tpu,cpu")
    try:
        yield
    finally:
        # JAX has loaded our plugin as its TPU library, and cannot unload it: what is left is the CPU.
        _forget_backends(os.environ.get("JAX_PLATFORMS") or "cpu")


def _forget_backends(platforms: str) -> None:
    jax: Any = sys.modules.get("jax")
    if jax is None:
        return  # it will read the environment when it is imported
    jax.clear_caches()
    _clear(jax)
    jax.config.update("jax_platforms", platforms)


def _clear(jax: Any) -> None:  # noqa: ANN401 - the user's own jax, whose types we do not have
    try:
        jax.extend.backend.clear_backends()
    except AttributeError:
        from importlib import import_module  # noqa: PLC0415 - the submodule is not imported by jax itself

        import_module("jax.extend.backend").clear_backends()

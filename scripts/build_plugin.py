"""Hatchling's hook: put the virtual slice's plugin, compiled, into a wheel.

$TPUGURU_WHEEL says what is built:
  (unset)    on Linux with the system's compiler, or ziglang where there is none; elsewhere, or when that
             fails, without the plugin (it is then compiled on first use)
  portable   with ziglang, for all Linux of this processor with glibc 2.28 or newer, as a release does
  pure       without the plugin
"""

import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PluginBuildHook(BuildHookInterface[Any]):
    """Compiles native/ into the wheel and gives the wheel its platform tag."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        """Return the compiler's package where it is needed."""
        needed = self._wanted() == "portable" or (self._wanted() == "system" and not _system_compiler())
        return ["ziglang>=0.14"] if needed else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, unless this is an editable installation or a wheel without the plugin."""
        wanted = self._wanted()
        if version == "editable" or wanted == "pure":
            return
        sys.path.insert(0, str(Path(self.root) / "src"))
        from tpuguru.base.errors import TpuguruError  # noqa: PLC0415
        from tpuguru.slice import compiler  # noqa: PLC0415

        self._made = Path(tempfile.mkdtemp(prefix="tpuguru-wheel-"))
        library = self._made / compiler.LIBRARY_NAME
        sources = Path(self.root) / "native"
        try:
            compiler.require_platform()
            command = compiler.packaged_compiler() if wanted == "portable" else compiler.find_compiler()
            self.app.display_info(f"compiling the virtual slice's plugin with {' '.join(command)}")
            compiler.compile_library(sources, library, command)
        except TpuguruError as error:
            if wanted == "portable":
                raise
            self.app.display_warning(f"the wheel is built without the virtual slice's plugin: {error}")
            return
        place = f"tpuguru/_data/native/ready/{compiler.library_folder(sources)}/{compiler.LIBRARY_NAME}"
        build_data["force_include"][str(library)] = place
        build_data["pure_python"] = False
        glibc = compiler.OLDEST_GLIBC.replace(".", "_")
        system = f"manylinux_{glibc}" if "ziglang" in command else "linux"
        build_data["tag"] = f"py3-none-{system}_{platform.machine()}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove what was compiled; the wheel has it."""
        del version, build_data, artifact_path
        if made := getattr(self, "_made", None):
            shutil.rmtree(made, ignore_errors=True)

    def _wanted(self) -> str:
        named = os.environ.get("TPUGURU_WHEEL", "")
        if named not in {"", "portable", "pure"}:
            raise ValueError(f"TPUGURU_WHEEL is «portable» or «pure», not {named!r}")
        return named or ("system" if sys.platform == "linux" else "pure")


def _system_compiler() -> bool:
    return bool(os.environ.get("CXX") or any(shutil.which(name) for name in ("g++", "clang++", "c++")))

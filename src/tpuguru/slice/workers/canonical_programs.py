"""Write the text of programs without what is no part of them. Runs in the user's Python, alone.

Each line of the standard input is a JSON object with a ``path``; the answer is one line with the module's
``name`` and the ``path`` of the text, or with ``error``. ``X.program`` is serialised StableHLO: its text has
no locations, nor those that travel inside Mosaic kernels. ``X.pb`` is a compiled module: its text has no
metadata.
"""

import json
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

# A Mosaic kernel holds its source locations (file names and lines) in a field beside its code.
_KERNEL_LOCATIONS = re.compile(r"(\\22debug_locations\\22: \\22)[A-Za-z0-9+/=]*(\\22)")
_MODULE_NAME = re.compile(r"(?:module @|HloModule )\"?([^\s,{\"]+)")


def stablehlo_text(data: bytes) -> str:
    """Return the text of a portable StableHLO artifact or of MLIR bytecode, without locations."""
    stablehlo: Any = import_module("jaxlib.mlir.dialects.stablehlo")
    context: Any = import_module("jax._src.interpreters.mlir").make_ir_context()
    with context:
        module = stablehlo.deserialize_portable_artifact(context, data)
        return _KERNEL_LOCATIONS.sub(r"\1\2", str(module))


def compiled_text(data: bytes) -> str:
    """Return the text of a serialised HloModuleProtoWithConfig or HloProto, without metadata."""
    hlo: Any = import_module("jaxlib._hlo")
    options = hlo.HloPrintOptions()
    options.print_metadata = False
    module = hlo.HloModule.from_serialized_hlo_module_proto(_field_one(data))
    return str(module.to_string(options))


def _field_one(message: bytes) -> bytes:
    """Return the first length-delimited field of a protocol-buffer message: the HloModuleProto in ours."""
    at = 1
    size = shift = 0
    while True:
        byte = message[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return message[at : at + size]


def answer(path: Path) -> dict[str, str]:
    """Write the text beside a program, unless it is there, and return where and what it is."""
    target = path.with_name(path.name + ".txt")
    try:
        if not target.is_file():
            text = (stablehlo_text if path.suffix == ".program" else compiled_text)(path.read_bytes())
            part = target.with_suffix(".part")
            part.write_text(text, encoding="utf-8")
            part.replace(target)
        with target.open(encoding="utf-8") as file:
            name = _MODULE_NAME.match(file.readline())
    except Exception as error:  # noqa: BLE001 - another jaxlib's format is an answer
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    return {"path": str(target), "name": name.group(1) if name else ""}


if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps(answer(Path(json.loads(line)["path"]))), flush=True)

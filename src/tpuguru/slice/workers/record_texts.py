"""Write the text of recorded programs beside their bytes. Runs in the user's Python; imports nothing of ours.

Arguments: program folders. ``program.mlir`` is the StableHLO without locations, ``optimized_hlo.txt`` the
optimised HLO as XLA prints it.
"""

import sys
from importlib import import_module
from pathlib import Path
from typing import Any


def field_one(message: bytes) -> bytes:
    """Return the first length-delimited field of a protocol-buffer message: the HloModuleProto in ours."""
    at = 1
    size = shift = 0
    while True:
        byte = message[at]
        size |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return message[at : at + size]


def hlo_text(data: bytes) -> str:
    """Return the text of a serialised HloModuleProtoWithConfig or HloProto."""
    hlo: Any = import_module("jaxlib._hlo")
    module = hlo.HloModule.from_serialized_hlo_module_proto(field_one(data))
    return str(module.to_string())


def stablehlo_text(data: bytes) -> str:
    """Return the text of a portable StableHLO artifact."""
    stablehlo: Any = import_module("jaxlib.mlir.dialects.stablehlo")
    context: Any = import_module("jax._src.interpreters.mlir").make_ir_context()
    with context:
        return str(stablehlo.deserialize_portable_artifact(context, data))


def write_texts(folder: Path) -> None:
    """Write both texts of one program; what this jaxlib cannot read stays as bytes."""
    for source, target, read in (
        ("program.mlirbc", "program.mlir", stablehlo_text),
        ("module.hlo.pb", "optimized_hlo.txt", hlo_text),
    ):
        try:
            text = read((folder / source).read_bytes())
        except Exception as error:  # noqa: BLE001 - another jaxlib's format is no reason to stop
            print(f"{folder.name}/{source}: {error}", file=sys.stderr)
            continue
        part = folder / f"{target}.part"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / target)


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        write_texts(Path(argument))

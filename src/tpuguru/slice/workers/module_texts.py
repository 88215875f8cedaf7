"""Programs as text, by the user's own jaxlib."""

from importlib import import_module
from typing import Any


def stablehlo_text(data: bytes) -> str:
    """Return the text of a portable StableHLO artifact or of MLIR bytecode, without locations."""
    stablehlo: Any = import_module("jaxlib.mlir.dialects.stablehlo")
    context: Any = import_module("jax._src.interpreters.mlir").make_ir_context()
    with context:
        return str(stablehlo.deserialize_portable_artifact(context, data))


def hlo_text(data: bytes, *, metadata: bool = True) -> str:
    """Return the text of a serialised HloModuleProtoWithConfig or HloProto."""
    hlo: Any = import_module("jaxlib._hlo")
    options = hlo.HloPrintOptions()
    options.print_metadata = metadata
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

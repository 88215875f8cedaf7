"""Runs in a toolchain's own interpreter: turns HLO protos and MLIR bytecode into text, with that jaxlib.

Reads JSON from standard input: {"conversions": [{"kind": "hlo" | "mlir", "source": path, "target": path}]}.
Writes JSON to standard output: {"done": [target…], "failed": [{"source": path, "because": text}]}.
A target appears whole or not at all. Imports nothing of tpuguru.
"""

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

_MESSAGE = 0x0A  # tag of field 1, length-delimited
# jaxlib has renamed the extension that knows MLIR's own dialects between releases.
_EXTENSIONS = ("_jax_mlir_ext", "register_jax_dialects")


def field_one(data: bytes) -> bytes | None:
    """Return field 1 of a proto message when it comes first; None when it does not."""
    if not data or data[0] != _MESSAGE:
        return None
    size, shift, position = 0, 0, 1
    while position < len(data) and shift < 64:
        byte = data[position]
        size |= (byte & 0x7F) << shift
        position += 1
        shift += 7
        if not byte & 0x80:
            break
    return data[position : position + size] if position + size <= len(data) else None


def hlo_text(data: bytes) -> str:
    """Return the text of an HloProto, HloModuleProtoWithConfig or HloModuleProto."""
    inner = field_one(data)
    # A module's own field 1 is its name; a wrapper's is the module, which itself begins with a message.
    module = inner if inner and inner[0] == _MESSAGE else data
    hlo: Any = import_module("jaxlib._hlo")
    return str(hlo.HloModule.from_serialized_hlo_module_proto(module).to_string())


def mlir_text(data: bytes) -> str:
    """Return the text of a StableHLO program given as MLIR bytecode: plain, or a portable artifact."""
    ir: Any = import_module("jaxlib.mlir.ir")
    dialects: dict[str, Any] = {
        name: import_module(f"jaxlib.mlir.dialects.{name}") for name in ("chlo", "sdy", "stablehlo")
    }
    registry = ir.DialectRegistry()
    upstream().register_dialects(registry)
    with ir.Context() as context:
        context.append_dialect_registry(registry)
        context.load_all_available_dialects()
        for dialect in dialects.values():
            dialect.register_dialect(context)
        try:
            return str(dialects["stablehlo"].deserialize_portable_artifact(context, data))
        except ValueError:  # not a portable artifact
            return str(ir.Module.parse(data))


def upstream() -> Any:  # noqa: ANN401 - a jaxlib extension module has no type here
    """Return the extension with MLIR's own dialects; ImportError when this jaxlib has none we know."""
    for name in _EXTENSIONS[:-1]:
        try:
            return import_module(f"jaxlib.mlir._mlir_libs.{name}")
        except ImportError:
            continue
    return import_module(f"jaxlib.mlir._mlir_libs.{_EXTENSIONS[-1]}")


_CONVERTERS = {"hlo": hlo_text, "mlir": mlir_text}


def convert(kind: str, source: Path, target: Path) -> None:
    """Convert one file; the target is renamed into place when it is whole."""
    text = _CONVERTERS[kind](source.read_bytes())
    scratch = target.with_name(f"{target.name}.{os.getpid()}")
    scratch.write_text(text, encoding="utf-8")
    scratch.replace(target)


def main() -> None:
    """Do every conversion that was asked for, and say which failed."""
    done, failed = [], []
    for item in json.load(sys.stdin)["conversions"]:
        try:
            convert(item["kind"], Path(item["source"]), Path(item["target"]))
            done.append(item["target"])
        except Exception as error:  # noqa: BLE001 - one broken file must not cost the others
            because = f"{type(error).__name__}: {error}"[:500]
            failed.append({"source": item.get("source", ""), "because": because})
    json.dump({"done": done, "failed": failed}, sys.stdout)


if __name__ == "__main__":
    main()

"""A lowered program's identity: two programs are the same exactly when all of this is equal."""

import hashlib
import json
import re
from typing import Any

# A Mosaic kernel travels inside the text with a separate field that holds its source locations (file
# names and lines of the installed packages). It is the only part of the text that is no part of the program.
_KERNEL_LOCATIONS = re.compile(r"(\\22debug_locations\\22: \\22)[A-Za-z0-9+/=]*(\\22)")


def sha256(text: str) -> str:
    """Return the SHA-256 of a text, in hex."""
    return hashlib.sha256(text.encode()).hexdigest()


def without_locations(stablehlo: str) -> str:
    """Return the text with the kernels' source locations emptied; nothing else is touched."""
    return _KERNEL_LOCATIONS.sub(r"\1\2", stablehlo)


def fingerprint(lowered: Any, devices: list[int]) -> dict:
    """Return the StableHLO's SHA-256 and a second one over what decides the program beside the text.

    The text is ``Lowered.as_text()``: MLIR without locations, constants in full. Hashed is that text with the
    kernels' own locations emptied; so the hash does not depend on where the toolchain is installed. Two
    things that change what runs are not in the text and are hashed beside it: the order of the devices in the
    mesh, and the compiler options that the framework attached to the jitted function.
    """
    text = lowered.as_text()
    beside = {"devices": devices, "options": attached_options(lowered)}
    return {
        "stablehlo_sha256": sha256(without_locations(text)),
        "beside_sha256": sha256(json.dumps(beside, sort_keys=True, default=str)),
        "stablehlo_bytes": len(text.encode()),
        "host_offload_annotations": text.count("annotate_device_placement"),
        "text": text,
    }


def attached_options(lowered: Any) -> list:
    """Return the compiler options given to ``jax.jit`` itself, which travel outside the text."""
    arguments = getattr(getattr(lowered, "_lowering", None), "compile_args", {})
    return sorted(map(list, arguments.get("compiler_options_kvs", ())))

"""Text from protos and bytecode, by the toolchain's own jaxlib: for what is there only in binary."""

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tpuguru.artifacts.files import Artifacts, find_artifacts
from tpuguru.artifacts.request import ExtractRequest
from tpuguru.artifacts.stablehlo import BYTECODE_MAGIC
from tpuguru.base.errors import ToolFailureError

_WORKER = Path(__file__).parent / "workers" / "to_text.py"
_SECONDS = 600


def with_text(
    folder: Path, request: ExtractRequest, python: Path, into: Path, say: Callable[[str], None]
) -> ExtractRequest:
    """Convert what the folder has only in binary and return a request that reads the text.

    ``python`` is a toolchain's interpreter, ``into`` an existing folder for the text. A file that cannot be
    converted is said and left out. Raises ToolFailureError when the interpreter itself fails.
    """
    artifacts = find_artifacts(folder, request.module)
    wanted = {
        kind: (source, into / f"{kind}.txt")
        for kind, source in (("hlo", _binary_hlo(artifacts)), ("mlir", _bytecode(artifacts)))
        if source is not None
    }
    if not wanted:
        return request
    say("converting protos and bytecode to text in the toolchain")
    for failure in _run(python, wanted):
        say(f"could not convert {failure}")
    found = {kind: target for kind, (_, target) in wanted.items() if target.is_file()}
    return replace(
        request,
        optimised=request.optimised or found.get("hlo"),
        stablehlo=request.stablehlo or found.get("mlir"),
    )


def _binary_hlo(artifacts: Artifacts) -> Path | None:
    readable = artifacts.path("optimised") or artifacts.path("oom-intermediate")
    return None if readable else artifacts.path("optimised-proto")


def _bytecode(artifacts: Artifacts) -> Path | None:
    text = artifacts.path("stablehlo")
    if text is None:
        return artifacts.path("program-bytecode")
    with text.open("rb") as file:
        return text if file.read(len(BYTECODE_MAGIC)) == BYTECODE_MAGIC else None


def _run(python: Path, wanted: dict[str, tuple[Path, Path]]) -> list[str]:
    conversions = [
        {"kind": kind, "source": str(source), "target": str(target)}
        for kind, (source, target) in wanted.items()
    ]
    try:
        done = subprocess.run(
            [str(python), "-P", str(_WORKER)],
            input=json.dumps({"conversions": conversions}),
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
        failed = json.loads(done.stdout)["failed"]
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ToolFailureError(f"the toolchain's Python could not convert the artifacts: {error}") from error
    except (ValueError, KeyError) as error:
        raise ToolFailureError(
            f"the toolchain's Python stopped while it converted the artifacts (status {done.returncode})",
            help="tpuguru toolchain check says whether the toolchain is whole",
        ) from error
    return [f"{Path(item['source']).name}: {item['because']}" for item in failed]

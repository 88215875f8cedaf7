"""What one run sent to the compiler, up to where it was ended, from its records."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpuguru.base.errors import UsageError
from tpuguru.slice.record_reader import index_lines


@dataclass(frozen=True, slots=True)
class Asked:
    """One program that was sent: hashes of its bytes, of its canonical options, and of the whole question.

    ``size`` is the bytes of the serialised StableHLO.
    """

    program: str
    options: str
    question: str
    size: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """What the compiler said of a program: its name, arithmetic per device, folder below programs/."""

    name: str
    flops: float
    folder: str
    products: bool = False
    """Whether it has a product of matrices, a convolution or a kernel."""


@dataclass(frozen=True, slots=True)
class Trace:
    """A run. ``stopped`` says why the plugin ended it (size, name, run, settled); empty: it ended itself."""

    asked: tuple[Asked, ...] = ()
    compiled: dict[str, Compiled] | None = None
    stopped: str = ""

    def facts(self, asked: Asked) -> Compiled | None:
        """Return what the compiler said of a program; None when it was not compiled."""
        return (self.compiled or {}).get(asked.question)


def read_trace(records: Path) -> Trace:
    """Read a run's records; empty when it never asked for a TPU. UsageError when they are damaged.

    Of several processes the one that owns the first device counts: each rank sends the same programs, and
    the others may have been ended before they had sent all of theirs.
    """
    index = records / "index.jsonl"
    if not index.is_file():
        return Trace()
    try:
        lines = list(index_lines(index))
        counted = _first_process(lines)
        return _trace([line for line in lines if line["pid"] == counted])
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{index} is damaged: {error}") from error


def _first_process(lines: list[dict[str, Any]]) -> int:
    clients = [line for line in lines if line["event"] == "client"]
    owned = {
        line["pid"]: min(each["id"] for each in line["devices"] if each["addressable"]) for line in clients
    }
    return min(owned, key=lambda pid: owned[pid], default=0)


def _trace(lines: list[dict[str, Any]]) -> Trace:
    asked = [
        Asked(line["program"], line["options"], line["question"], line["size"])
        for line in lines
        if line["event"] == "asked"
    ]
    compiled = {
        line["program"]: Compiled(
            line["name"], line["flops"] or 0.0, line["program"], line.get("products", False)
        )
        for line in lines
        if line["event"] == "program"
    }
    stops = [line["reason"] for line in lines if line["event"] == "stopped"]
    return Trace(tuple(dict.fromkeys(asked)), compiled, stops[0] if stops else "")

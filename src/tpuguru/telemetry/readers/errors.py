"""XLA error codes, status words, Python exceptions, and what they blame."""

import re

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import Reader

_CODE = re.compile(r"\b([EC]\d{4}):? ?(?:(?:CompileTime|Runtime|RunTime)\w+|:|\b)")
_STATUS = re.compile(
    r"\b(RESOURCE_EXHAUSTED|INVALID_ARGUMENT|UNIMPLEMENTED|INTERNAL|UNAVAILABLE|FAILED_PRECONDITION|ABORTED"
    r"|DEADLINE_EXCEEDED|NOT_FOUND|PERMISSION_DENIED|DATA_LOSS|ALREADY_EXISTS|OUT_OF_RANGE)\b"
)
_EXCEPTION = re.compile(r"^\s*(?:[\w.]+\.)?([A-Z]\w*(?:Error|Exception|Interrupt|Exit|Warning))\b:?")
_FAILING_OP = re.compile(r"(?:for|op|instruction|allocating[^%]*) (%[\w.-]+)")
_SHAPE = re.compile(r"\b((?:bf16|f32|f16|f8e\w+|s8|u8|s32|u32|pred|s4)\[[\d,]*\](?:\{[^}]*\})?)")
_FRAMEWORK_MARKS = (
    ("xla", re.compile(r"XLA|HLO|RESOURCE_EXHAUSTED|libtpu", re.IGNORECASE)),
    ("mosaic", re.compile(r"mosaic|pallas", re.IGNORECASE)),
    ("megascale", re.compile(r"megascale", re.IGNORECASE)),
    ("nccl", re.compile(r"\bNCCL\b")),
    ("ray", re.compile(r"\bray(?:\.|::)|\braylet\b|placement.?group", re.IGNORECASE)),
    ("orbax", re.compile(r"\borbax\b", re.IGNORECASE)),
    ("kubernetes", re.compile(r"\bpods?\b|jobset|FailedScheduling|kubectl|google\.com/tpu", re.IGNORECASE)),
    ("vllm", re.compile(r"\bvllm\b", re.IGNORECASE)),
    ("sglang", re.compile(r"\bsgl(?:ang|_jax|-jax)?\b", re.IGNORECASE)),
)


def _read(line: str, number: int, observation: Observation) -> None:
    if found := _CODE.search(line):
        code = found.group(1)
        if code not in observation.error_codes:
            observation.error_codes.append(code)
        observation.seen("error_codes", number)
    if not observation.error_status and (found := _STATUS.search(line)):
        observation.error_status = found.group(1)
        observation.seen("error_status", number)
    if found := _EXCEPTION.search(line):
        observation.exception = found.group(1)
        observation.first_lines["exception"] = number
    if not observation.failing_op and (found := _FAILING_OP.search(line)):
        observation.failing_op = found.group(1)
        observation.seen("failing_op", number)
    if not observation.failing_shape and (found := _SHAPE.search(line)):
        observation.failing_shape = found.group(1)
        observation.seen("failing_shape", number)


def _read_marks(line: str, number: int, observation: Observation) -> None:
    for name, pattern in _FRAMEWORK_MARKS:
        if name not in observation.formats and pattern.search(line):
            observation.recognised(name, number)


ERROR_ANCHORS = (
    "Error",
    "ERROR",
    "error",
    "Exception",
    "RESOURCE_EXHAUSTED",
    "INVALID_ARGUMENT",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "FAILED_PRECONDITION",
    "ABORTED",
    "DEADLINE_EXCEEDED",
    "CompileTime",
    "Runtime",
    "E1000",
    "E1001",
    "E1002",
    "E1200",
    "E2001",
    "E2002",
    "E2003",
    "E3000",
    "E3001",
    "E0100",
    "E0101",
    "E0102",
    "E0200",
    "C0432",
)

READERS = (
    Reader("errors", ERROR_ANCHORS, _read),
    Reader("marks", (*ERROR_ANCHORS, "WARN", "Warn", "warn", "NCCL", "vllm", "libtpu", "ray"), _read_marks),
)

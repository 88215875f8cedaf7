"""What is left over from debugging, in flags and environment, and flags that nearly have a known name."""

import json
import re
from collections.abc import Iterable, Iterator

from tpuguru.base.location import Location
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.relax.flags import Flags
from tpuguru.frameworks.relax.recognise import nargs
from tpuguru.launch.model import Launch, Setting

_SLOW_VARIABLES = {
    "CUDA_LAUNCH_BLOCKING": "1",
    "NCCL_P2P_DISABLE": "1",
    "NCCL_DEBUG": "INFO",
    "TORCH_NCCL_BLOCKING_WAIT": "1",
}
_SLOW_FLAGS = ("enable-cuda-memory-check", "profile", "use-pytorch-profiler", "record-memory-history")
_ALLOCATORS, _CONNECTIONS = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF"), "CUDA_DEVICE_MAX_CONNECTIONS"
_TRAIN_VARIABLES = "train-env-vars"  # a JSON object of variables for the training processes
_WRITTEN = re.compile(r"PYTORCH_(?:CUDA_)?ALLOC_CONF[\"'\]\\]*\s*[:=]\s*[\"'\\]*([\w:,.]+)")
_RUNTIME = ("RUNTIME_ENV_JSON", "RUNTIME_ENV")
_LARGEST_RUNTIME = 100_000  # characters
_NEAREST = 2  # edits


def variables(launch: Launch) -> Iterator[tuple[str, str, Location | None]]:
    """Yield the environment as name, value, place; variables inside a runtime environment's JSON too."""
    for setting in launch.environment:
        if not isinstance(setting.text, str):
            yield from ((name, value, setting.location) for name, value in _patched(setting))
            continue
        yield setting.key, setting.text, setting.location
        if setting.key in _RUNTIME:
            for name, value in _json_variables(setting.text, "env_vars"):
                yield name, value, setting.location
    given = launch.setting(_TRAIN_VARIABLES)
    if given is not None and isinstance(given.text, str):
        for name, value in _json_variables(given.text, ""):
            yield name, value, given.location


def _patched(setting: Setting) -> Iterator[tuple[str, str]]:
    """Yield the allocator setting that a program inside the script writes into the runtime environment.

    The program is never run; the assignment is read from its text.
    """
    pieces = setting.trace.pieces if setting.trace is not None else ()
    for piece in pieces:
        if isinstance(piece.text, Unknown):
            text = piece.source.text[piece.start : min(piece.end, piece.start + _LARGEST_RUNTIME)]
            yield from ((_ALLOCATORS[0], found) for found in _WRITTEN.findall(text))


def _json_variables(text: str, key: str) -> Iterator[tuple[str, str]]:
    """Yield the variables of a JSON object, or of its member ``key``; nothing when it is none."""
    if len(text) > _LARGEST_RUNTIME:
        return
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return
    inner = document.get(key) if key and isinstance(document, dict) else document
    if isinstance(inner, dict):
        yield from ((str(name), str(value)) for name, value in inner.items())


def allocator(launch: Launch) -> tuple[str, Location | None]:
    """Return the allocator's settings as they reach the training processes, empty when there are none."""
    return _last(launch, *_ALLOCATORS)


def connections(launch: Launch) -> tuple[str, Location | None]:
    """Return CUDA_DEVICE_MAX_CONNECTIONS, empty when it is not set."""
    return _last(launch, _CONNECTIONS)


def _last(launch: Launch, *wanted: str) -> tuple[str, Location | None]:
    found: tuple[str, Location | None] = ("", None)
    for name, value, place in variables(launch):
        if name in wanted:
            found = (value, place)
    return found


def debugging(launch: Launch, flags: Flags) -> tuple[tuple[str, ...], Location | None]:
    """Return the debugging flags and variables that are on, and the place of the first."""
    found: dict[str, Location | None] = {}
    for key in _SLOW_FLAGS:
        setting = flags.setting(key)
        if setting is not None:
            found[f"--{key}"] = setting.location
    for name, value, place in variables(launch):
        if _SLOW_VARIABLES.get(name) == value.strip().upper():
            found.setdefault(f"{name}={value.strip()}", place)
    return tuple(found), next(iter(found.values()), None)


def misspelt(flags: Flags) -> tuple[str, ...]:
    """Return «--flag (meant --other?)» for each unknown flag within two edits of one that matters.

    Megatron's parser is called to ignore unknown flags, so that a misspelt one vanishes silently.
    """
    known = nargs()
    unknown = [key for key in flags.known_texts() if key not in known and len(key) > _NEAREST * 3]
    return tuple(f"--{key} (meant --{near}?)" for key in unknown if (near := _nearest(key, known)))


def _nearest(key: str, known: Iterable[str]) -> str:
    names = [name for name in known if abs(len(name) - len(key)) <= _NEAREST]
    close = [(distance, name) for name in names if 0 < (distance := _distance(key, name)) <= _NEAREST]
    return min(close)[1] if close else ""


def _distance(one: str, other: str) -> int:
    """Return the edit distance, cut off above :data:`_NEAREST`."""
    row = list(range(len(other) + 1))
    for index, character in enumerate(one, 1):
        before, row[0] = row[0], index
        for position, other_character in enumerate(other, 1):
            change = before + (character != other_character)
            before = row[position]
            row[position] = min(row[position] + 1, row[position - 1] + 1, change)
        if min(row) > _NEAREST:
            return _NEAREST + 1
    return row[-1]

"""Rehearsals that were kept: list them, and read one again as it was."""

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import state_directory
from tpuguru.base.suggest import did_you_mean
from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.rehearse import Rehearsal

_ID = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class StoredRehearsal:
    """A line of the list. ``state``: ended, failed, stopped, deadlock, interrupted or unfinished."""

    run_id: str
    slice: str
    command: tuple[str, ...]
    state: str
    seconds: float


def rehearsals_folder() -> Path:
    """Return the folder that holds every rehearsal."""
    return state_directory() / "rehearsals"


def stored_rehearsals() -> list[StoredRehearsal]:
    """Return every kept rehearsal, the newest first; folders that are none are passed over."""
    root = rehearsals_folder()
    folders = sorted(root.iterdir(), reverse=True) if root.is_dir() else []
    found = (_listed(folder) for folder in folders if _ID.fullmatch(folder.name))
    return [each for each in found if each is not None]


def load_rehearsal(run_id: str) -> Rehearsal:
    """Return a kept rehearsal by its id or an unambiguous beginning of it; UsageError when there is none.

    One whose tpuguru was killed has no outcome: it reads as stopped, and its records are there.
    """
    folder = rehearsals_folder() / _whole_id(run_id)
    outcome, job = _json(folder / "rehearsal.json"), _json(folder / "job.json")
    if not job:
        raise UsageError(f"the rehearsal {folder.name} was not even started", help="tpuguru rehearse --list")
    try:
        return _rehearsal(folder, outcome, job)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{folder}/rehearsal.json is damaged: {error!r}") from error


def slice_name(folder: Path) -> str:
    """Return the slice that a kept rehearsal ran on, as it was named; empty when that was not kept."""
    return str(_json(folder / "job.json").get("slice", ""))


def remove_rehearsal(run_id: str) -> None:
    """Remove a kept rehearsal by its id or an unambiguous beginning of it; UsageError when there is none."""
    shutil.rmtree(rehearsals_folder() / _whole_id(run_id))


def _rehearsal(folder: Path, outcome: dict[str, Any], job: dict[str, Any]) -> Rehearsal:
    interpreter = outcome.get("interpreter", {"python": job["command"][0], "versions": job["versions"]})
    return Rehearsal(
        run_id=folder.name,
        folder=folder,
        interpreter=Interpreter(Path(interpreter["python"]), Path(), dict(interpreter["versions"])),
        ranks=outcome.get("ranks", len(job["ranks"])),
        codes=list(outcome.get("codes", [])),
        reason=str(outcome["reason"]) if outcome else "tpuguru itself was ended before the program was",
        network_objection=str(outcome.get("network_objection", "")),
        blanked=int(outcome.get("blanked", 0)),
        deadlocks=list(outcome.get("deadlocks", [])),
        seconds=float(outcome.get("seconds", 0.0)),
        interrupted=bool(outcome.get("interrupted", False)),
        failed_rank=bool(outcome.get("failed_rank", False)),
        ready_at=float(outcome.get("ready_at", 0.0)),
        notes=[str(note) for note in outcome.get("notes", [])],
    )


def _whole_id(beginning: str) -> str:
    names = [each.run_id for each in stored_rehearsals()]
    found = [name for name in names if name == beginning] or [n for n in names if n.startswith(beginning)]
    if len(found) == 1 and beginning:
        return found[0]
    if found:
        raise UsageError(f"several rehearsals begin with {beginning!r}", help=f"the newest is {found[0]}")
    near = did_you_mean(beginning, names)
    hint = f"did you mean {near[0]}?" if near else "tpuguru rehearse --list shows them"
    raise UsageError(f"there is no rehearsal {beginning!r}", help=hint)


def _listed(folder: Path) -> StoredRehearsal | None:
    job, outcome = _json(folder / "job.json"), _json(folder / "rehearsal.json")
    try:
        command = tuple(str(word) for word in job["command"])
        return StoredRehearsal(
            folder.name, str(job["slice"]), command, _state(outcome), float(outcome.get("seconds", 0.0))
        )
    except (KeyError, TypeError, ValueError):
        return None


def _state(outcome: dict[str, Any]) -> str:
    if not outcome:
        return "unfinished"
    if outcome.get("interrupted"):
        return "interrupted"
    if outcome.get("deadlocks"):
        return "deadlock"
    if outcome.get("reason"):
        return "stopped"
    return "failed" if any(outcome.get("codes", [])) else "ended"


def _json(path: Path) -> dict[str, Any]:
    """Return a JSON object; empty when the file is missing or is none."""
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}

"""A run in progress: it works in a folder of its own, which gets the run's name only when it is whole."""

import os
import shutil
import time
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Self

from tpuguru.aot.events import Event
from tpuguru.aot.locks import is_locked, try_lock, unlock
from tpuguru.aot.record import RunRecord
from tpuguru.aot.store import RunStore, write_record
from tpuguru.base.redaction import redact


class Attempt:
    """The working folder of one attempt. Use as a context manager; unless kept, it is deleted at the end."""

    def __init__(self, store: RunStore) -> None:
        """Choose the folder's name; ``__enter__`` makes it."""
        self._store = store
        token = f"{int(time.time())}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self.folder = store.attempts() / token
        self._alive = store.attempts() / f"{token}.alive"
        self._started = time.monotonic()

    def __enter__(self) -> Self:
        """Make the folder and delete those of attempts whose process is gone."""
        sweep(self._store.attempts())
        self._lock = try_lock(self._alive)
        (self.folder / "logs").mkdir(parents=True)
        return self

    def __exit__(self, *_: object) -> None:
        """Delete what was not kept."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self._alive.unlink(missing_ok=True)
        if self._lock is not None:
            unlock(self._lock)

    def note(self, event: Event) -> Event:
        """Append an event to the attempt's journal, with its time."""
        stamped = Event(event.name, time.monotonic() - self._started, event.data)
        with suppress(OSError), (self.folder / "events.jsonl").open("a", encoding="utf-8") as journal:
            journal.write(stamped.as_line())
        return stamped

    @property
    def seconds(self) -> float:
        """How long the attempt has been going."""
        return time.monotonic() - self._started

    def keep(self, record: RunRecord) -> Path:
        """Give the folder the run's name. Before that everything in it is complete and on disk."""
        shutil.rmtree(self.folder / "work", ignore_errors=True)
        for log in (self.folder / "logs").iterdir():
            _redact_file(log)
        write_record(self.folder, record)
        os.sync()
        final = self._store.folder(record.run_id)
        if final.exists():  # an older attempt that gave no lasting answer
            final.rename(self._store.attempts() / f"{self.folder.name}.old")
        self.folder.rename(final)
        shutil.rmtree(self._store.attempts() / f"{self.folder.name}.old", ignore_errors=True)
        return final


def sweep(attempts: Path) -> None:
    """Delete attempts whose process died: nobody holds their lock, and nobody will take it again."""
    for alive in attempts.glob("*.alive"):
        if not is_locked(alive):
            shutil.rmtree(alive.with_suffix(""), ignore_errors=True)
            shutil.rmtree(alive.with_suffix(".old"), ignore_errors=True)
            alive.unlink(missing_ok=True)


def _redact_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8", errors="replace")
    clean = redact(text)
    if clean != text:
        path.write_text(clean, encoding="utf-8")

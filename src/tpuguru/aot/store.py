"""The run store: one SQLite file (WAL) for states and answers, one folder a run for everything else."""

import json
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tpuguru.aot.record import FailureKind, RunRecord, RunState
from tpuguru.aot.serial import record_of_json, record_to_json
from tpuguru.base.errors import ToolFailureError
from tpuguru.base.locations import state_directory

_SCHEMA = """
CREATE TABLE IF NOT EXISTS runs (
    run_id TEXT PRIMARY KEY, state TEXT NOT NULL, failure TEXT NOT NULL DEFAULT '', toolchain TEXT NOT NULL,
    topology TEXT NOT NULL, created REAL NOT NULL, changed REAL NOT NULL, attempt TEXT NOT NULL DEFAULT '',
    pid INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS requests (request TEXT PRIMARY KEY, run_id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (key TEXT PRIMARY KEY, answer TEXT NOT NULL, created REAL NOT NULL);
"""


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run's line in the database. ``attempt`` is the folder it works in while it goes."""

    run_id: str
    state: RunState
    failure: str
    toolchain: str
    topology: str
    created: float
    changed: float
    attempt: str
    pid: int


class RunStore:
    """All runs of this user. Safe for several processes; every method opens its own connection."""

    def __init__(self, root: Path | None = None) -> None:
        """Use ``root`` (default: the user's state folder); made when it is missing."""
        self.root = root or state_directory() / "runs"
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with self._connection() as connection:
                connection.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise ToolFailureError(
                f"the run store {self.root} cannot be used: {error}",
                help="set XDG_STATE_HOME to a folder that can be written",
            ) from error

    def folder(self, run_id: str) -> Path:
        """Return a finished run's folder."""
        return self.root / run_id

    def guard(self, run_id: str) -> Path:
        """Return the lock file that whoever works on the run holds."""
        return self.root / ".guards" / run_id

    def attempts(self) -> Path:
        """Return the folder that holds the runs in progress."""
        return self.root / ".attempts"

    def finished(self, run_id: str) -> RunRecord | None:
        """Return the record of a run that gave an answer worth keeping, or None."""
        record = self.record(run_id)
        if record is None or record.state not in (RunState.SUCCEEDED, RunState.FAILED):
            return None
        return record if record.failure is None or record.failure.kind.is_verdict else None

    def record(self, run_id: str) -> RunRecord | None:
        """Return the record in the run's folder, or None when there is none or it cannot be read."""
        try:
            text = (self.folder(run_id) / "record.json").read_bytes()
            return record_of_json(text, self.folder(run_id))
        except (OSError, ValueError):
            return None

    def run_of_request(self, request: str) -> str | None:
        """Return the id of the run that answered this question before."""
        with self._connection() as connection:
            row = connection.execute("SELECT run_id FROM requests WHERE request = ?", (request,)).fetchone()
        return str(row[0]) if row else None

    def remember_request(self, request: str, run_id: str) -> None:
        """Note which run answers a question."""
        with self._connection() as connection:
            connection.execute("INSERT OR REPLACE INTO requests VALUES (?, ?)", (request, run_id))

    def put_state(
        self, record: RunRecord, *, attempt: str = "", pid: int = 0, failure: FailureKind | None = None
    ) -> None:
        """Insert or update a run's line."""
        now = time.time()
        values = (
            record.run_id,
            record.state,
            failure or "",
            record.toolchain,
            record.topology,
            now,
            now,
            attempt,
            pid,
        )
        with self._connection() as connection:
            connection.execute(
                "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_id) DO UPDATE SET"
                " state = excluded.state, failure = excluded.failure, changed = excluded.changed,"
                " attempt = excluded.attempt, pid = excluded.pid",
                values,
            )

    def rows(self) -> list[RunRow]:
        """Return every run, the newest first."""
        with self._connection() as connection:
            rows = connection.execute("SELECT * FROM runs ORDER BY created DESC").fetchall()
        return [_row(fields) for fields in rows]

    def row(self, run_id: str) -> RunRow | None:
        """Return one run's line."""
        with self._connection() as connection:
            fields = connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
        return _row(fields) if fields else None

    def forget(self, run_id: str) -> None:
        """Remove a run's line and every question that leads to it."""
        with self._connection() as connection:
            connection.execute("DELETE FROM runs WHERE run_id = ?", (run_id,))
            connection.execute("DELETE FROM requests WHERE run_id = ?", (run_id,))

    def answer(self, key: str) -> object | None:
        """Return a small kept answer (a resolution, a program's hash), or None."""
        with self._connection() as connection:
            row = connection.execute("SELECT answer FROM answers WHERE key = ?", (key,)).fetchone()
        return json.loads(row[0]) if row else None

    def keep_answer(self, key: str, answer: object) -> None:
        """Keep a small answer."""
        with self._connection() as connection:
            connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?)", (key, json.dumps(answer), time.time())
            )

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Open, commit and close; a database that another process has broken is one clear sentence."""
        try:
            with closing(sqlite3.connect(self.root / "runs.sqlite3", timeout=30)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                with connection:
                    yield connection
        except sqlite3.Error as error:
            raise ToolFailureError(
                f"the run store {self.root / 'runs.sqlite3'} cannot be used: {error}",
                help="move that file away to start a new store; finished runs keep their folders",
            ) from error


def _row(fields: tuple[str, str, str, str, str, float, float, str, int]) -> RunRow:
    run_id, state, *others = fields
    return RunRow(run_id, RunState(state), *others)  # type: ignore[arg-type]  # the columns of _SCHEMA, in order


def write_record(folder: Path, record: RunRecord) -> None:
    """Write ``record.json`` into ``folder``."""
    (folder / "record.json").write_bytes(record_to_json(record))

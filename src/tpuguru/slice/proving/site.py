"""What all runs of one proof share: the user's Python, the plugin, the folders, the bounds."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tpuguru.base.locations import cache_directory
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.plan import plan_ranks
from tpuguru.slice.proving.stops import Stop
from tpuguru.slice.proving.trace import Trace
from tpuguru.slice.rehearse import RehearsalRequest
from tpuguru.slice.settings import PREFIX, SliceSettings
from tpuguru.slice.values.server import ValuesServer

if TYPE_CHECKING:
    import subprocess
    from queue import Queue


@dataclass(frozen=True, slots=True)
class RunOutcome:
    """One run of the program: what it sent, how it ended, and its last words on the standard error.

    ``reason`` says why it was ended by us, other than at its stop; ``held`` is the most memory it had, in
    bytes, where that was looked at.
    """

    records: Path
    trace: Trace
    code: int | None
    reason: str
    last_words: str
    seconds: float
    held: int = 0
    forked: bool = False

    @property
    def failed(self) -> bool:
        """Whether it ended neither well nor where it was to be ended."""
        return not self.trace.stopped and (bool(self.reason) or self.code != 0)


@dataclass(frozen=True, slots=True)
class Site:
    """The fixed part of every run."""

    request: RehearsalRequest
    interpreter: Interpreter
    library: Path
    folder: Path
    servers: "Queue[ValuesServer]"
    """Services of values that no run is using; each run takes one."""
    launchers: "set[subprocess.Popen[str]]" = field(default_factory=set)
    """Those at work, so that an interrupt can end them."""

    @property
    def asked(self) -> Path:
        """Where everything that was sent to the compiler lies, by the hash of its content."""
        return self.folder / "asked"

    @contextmanager
    def server(self) -> Iterator[ValuesServer]:
        """Lend a service of values to one run."""
        server = self.servers.get()
        try:
            yield server
        finally:
            self.servers.put(server)

    def environments(
        self, command: ProgramCommand, run: Path, server: ValuesServer, stop: Stop, *, observe: bool = False
    ) -> list[dict[str, str]]:
        """Return the whole environment of each rank of a run."""
        settings = SliceSettings(
            slice=self.request.slice,
            library=self.library,
            libtpu=self.interpreter.libtpu,
            records=run / "records",
            values_socket=str(server.socket),
            cache=cache_directory() / "slice" / "programs",
            hbm_bytes=self.request.hbm_bytes,
            unknown_zero=self.request.unknown_zero,
        )
        ranks = plan_ranks(settings, self.request.processes, command.words, self.interpreter)
        # Sets and dictionaries of texts have one order in all runs, unless the user chose otherwise.
        base = {"PYTHONHASHSEED": "0"} | os.environ | dict(command.variables)
        added = stop.environment() | {f"{PREFIX}ASKED": str(self.asked)}
        if observe:
            added[f"{PREFIX}OBSERVED"] = str(run)
        return [rank.joins(base) | added for rank in ranks]

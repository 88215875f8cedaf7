"""Where each process of a rehearsal stopped."""

from collections.abc import Iterator
from dataclasses import dataclass

from tpuguru.slice.records import ClientRecord, ErrorRecord, Records


@dataclass(frozen=True, slots=True)
class LastPlace:
    """The last that a process told. ``seconds`` count from the first process's start of the slice.

    ``ended`` is false for a process that was killed; ``failed`` names the program that could not be compiled
    or run last, if any did.
    """

    process: int
    seconds: float
    program: str
    python: str
    ended: bool
    failed: str = ""


def last_places(records: Records) -> tuple[LastPlace, ...]:
    """Return each process's last place, by its number."""
    begin = min((client.time for client in records.clients), default=0.0)
    found = (_last_place(records, client, begin) for client in records.clients)
    return tuple(sorted(found, key=lambda place: place.process))


def _last_place(records: Records, client: ClientRecord, begin: float) -> LastPlace:
    errors = [error for error in records.errors if error.pid == client.pid]
    failed = errors[-1] if errors else None
    time, program, python = max(_events(records, client), key=lambda event: event[0])
    return LastPlace(
        process=client.process,
        seconds=round(time - begin, 3),
        program=program,
        python=(failed.python if failed else "") or python,
        ended=client.pid in records.exits,
        failed=_failed(failed) if failed else "",
    )


def _failed(error: ErrorRecord) -> str:
    """Return what failed: a program's name, or for one that has none yet the folder of its records."""
    return f"compiling {error.where[:12]}" if error.kind == "compile" else error.where


def _events(records: Records, client: ClientRecord) -> Iterator[tuple[float, str, str]]:
    """Yield time, program and line of what a process did: its start, its programs, its last word."""
    yield client.time, "", ""
    names = {each.index: each for each in records.programs if each.pid == client.pid}
    for (pid, index), time in records.first_executed.items():
        if pid == client.pid and index in names:
            yield time, names[index].name, records.first_lines.get((pid, index), "") or names[index].python
    place = records.places.get(client.pid)
    if place is not None:
        last = names.get(place.program)
        yield place.time, last.name if last else "", place.python

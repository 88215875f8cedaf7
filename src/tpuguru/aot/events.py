"""What a run says while it goes."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Event:
    """One event: ``at`` is in seconds since the run began."""

    name: str
    at: float = 0.0
    data: Mapping[str, object] = field(default_factory=dict)

    def as_line(self) -> str:
        """Return the event as one line of ``events.jsonl``."""
        return (
            json.dumps({"event": self.name, "at": round(self.at, 3), "data": self.data}, default=str) + "\n"
        )


type OnEvent = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""


def event_of_line(line: str) -> Event | None:
    """Read one line; None for a line that is not an event (a half-written one, say)."""
    try:
        fields = json.loads(line)
        return Event(str(fields["event"]), float(fields["at"]), dict(fields["data"]))
    except (ValueError, KeyError, TypeError):
        return None


def in_words(event: Event) -> str:
    """Return one line for people, or an empty one for events that are only for programs."""
    template = _WORDS.get(event.name)
    return template(event.data) if template else ""


def _seconds(data: Mapping[str, object]) -> str:
    return f"{data.get('seconds', 0)} s"


_WORDS: dict[str, Callable[[Mapping[str, object]], str]] = {
    "started": lambda data: f"starting {data.get('toolchain')} (its imports take 8 to 25 s)",
    "loaded": lambda data: f"imports done in {_seconds(data)}",
    "resolved": lambda _: "configuration resolved by the framework itself",
    "known": lambda data: f"this question was answered before: run {data.get('run_id')}",
    "attached": lambda data: f"the same run is already going on ({data.get('run_id')}); waiting for it",
    "queued": lambda _: "waiting for another run to leave the compiler",
    "lowered": lambda data: f"traced and lowered: StableHLO {str(data.get('stablehlo_sha256'))[:12]}",
    "compiling": lambda _: (
        "compiling with the TPU compiler (10 s when it does not fit, 1 to 7 min when it does)"
    ),
    "compiled": lambda data: f"compiled in {_seconds(data)}",
    "failed": lambda data: f"{data.get('kind')}",
    "proving": lambda data: f"proving {data.get('done')}/{data.get('total')} settings",
}

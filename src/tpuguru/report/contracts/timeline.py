"""The contract ``timeline/v1``: device memory over the time of a rehearsal. Bytes are of one device."""

from typing import Literal

import msgspec

from tpuguru.slice.records import Records


class TimelinePoint(msgspec.Struct, frozen=True):
    """One sample: ``live`` bytes of arrays before a program ran, ``during`` the most while it ran.

    ``program`` indexes ``programs``; null when no program ran.
    """

    seconds: float
    live: int
    during: int
    code: int
    program: int | None = None


class DeviceTimeline(msgspec.Struct, frozen=True):
    """One device. Every new peak is a point; between peaks there is at most one each ten milliseconds."""

    device: int
    process: int
    limit: int
    points: list[TimelinePoint]


class TimelineReport(msgspec.Struct, frozen=True, rename={"schema_name": "schema"}):
    """The whole rehearsal. ``seconds`` count from the first process's start."""

    programs: list[str]
    devices: list[DeviceTimeline]
    schema_name: Literal["timeline/v1"] = "timeline/v1"


def to_timeline(records: Records) -> TimelineReport:
    """Turn the records' memory samples into the contract."""
    start = min((client.time for client in records.clients), default=0.0)
    names = [program.name for program in records.programs]
    numbers = {(program.pid, program.index): number for number, program in enumerate(records.programs)}
    points: dict[int, list[TimelinePoint]] = {}
    for sample in records.memory:
        points.setdefault(sample.device, []).append(
            TimelinePoint(
                seconds=round(sample.time - start, 6),
                live=sample.live,
                during=sample.during,
                code=sample.code,
                program=numbers.get((sample.pid, sample.index)),
            )
        )
    devices = [
        DeviceTimeline(device, client.process, client.limit, points.get(device, []))
        for client in records.clients
        for device in client.devices
    ]
    return TimelineReport(programs=names, devices=devices)


CONTRACT = ("timeline.v1", TimelineReport)

"""Memory of a rehearsal as text: the peak, its course over time, and what was alive then."""

from collections.abc import Iterator, Sequence

from tpuguru.base.units import format_bytes
from tpuguru.report.rehearsal.view import RehearsalView
from tpuguru.report.rehearsal.words import short
from tpuguru.slice.peak import PeakPart, PeakSummary
from tpuguru.slice.records import MemorySample, Records
from tpuguru.slice.summary import DeviceSummary

_BARS = "▁▂▃▄▅▆▇█"
_COLUMNS = 48
_MOST_PARTS = 6
_MUCH_LESS = 2


def memory_lines(view: RehearsalView) -> Iterator[str]:
    """Yield the lines; none when no device was seen."""
    if view.summary is None or view.records is None or not view.summary.devices:
        return
    listed = view.peak.device if view.peak else None  # of equals, the one whose arrays are listed below
    most = max(view.summary.devices, key=lambda each: (each.peak_bytes, each.device == listed))
    share = f" of {format_bytes(most.limit_bytes)}" if most.limit_bytes else ""
    about = "" if most.exact else " (at least; its process did not end in order)"
    yield f"memory: peak {format_bytes(most.peak_bytes)}{share} on device {most.device}{about}"
    yield from _course(view.records, most.device)
    yield from _uneven(view.records, view.summary.devices)
    if view.peak is not None:
        yield from _alive(view.peak)


def _course(records: Records, device: int) -> Iterator[str]:
    """Yield a line of bars: the most bytes of the device in each stretch of time."""
    samples = [sample for sample in records.memory if sample.device == device]
    if len(samples) < 2 or samples[-1].time <= samples[0].time:
        return
    seconds = samples[-1].time - samples[0].time
    yield f"  {bars(samples)}  from {format_bytes(samples[0].during)}, over {seconds:.1f} s of this machine"


def bars(samples: Sequence[MemorySample]) -> str:
    """Return one character for each stretch of time; what no sample covers stays at the level before."""
    begin, end = samples[0].time, samples[-1].time
    columns = [0] * _COLUMNS
    for sample in samples:
        column = min(int((sample.time - begin) / (end - begin) * _COLUMNS), _COLUMNS - 1)
        columns[column] = max(columns[column], sample.during)
    top = max(columns)
    for column in range(1, _COLUMNS):
        columns[column] = columns[column] or columns[column - 1]
    return "".join(_BARS[min(value * len(_BARS) // (top + 1), len(_BARS) - 1)] for value in columns)


def _uneven(records: Records, devices: Sequence[DeviceSummary]) -> Iterator[str]:
    unused = sum(not each.executions and not each.peak_bytes for each in devices)
    unused += max(records.clients[0].all_devices - len(devices), 0)
    if unused:
        yield f"  {unused} of {records.clients[0].all_devices} devices were never used"
    used = [each for each in devices if each.executions or each.peak_bytes]
    most = max(devices, key=lambda each: each.peak_bytes)
    least = min(used, key=lambda each: each.peak_bytes, default=most)
    if least.peak_bytes * _MUCH_LESS < most.peak_bytes:
        yield f"  uneven: device {least.device} held {format_bytes(least.peak_bytes)} at most"


def _alive(peak: PeakSummary) -> Iterator[str]:
    running = f" while {peak.program} ran" if peak.program else ""
    yield f"  alive then (device {peak.device}{running}, {format_bytes(peak.bytes)}):"
    for part in peak.parts[:_MOST_PARTS]:
        yield f"    {format_bytes(part.bytes):>10}  {_part(part)}"
    rest = peak.bytes - sum(part.bytes for part in peak.parts[:_MOST_PARTS])
    if rest > 0:
        yield f"    {format_bytes(rest):>10}  smaller arrays"


def _part(part: PeakPart) -> str:
    times = f" × {part.count}" if part.count > 1 else ""
    place = f" ({short(part.python)})" if part.python else ""
    return f"{part.what}{times}, made by {part.maker}{place}"

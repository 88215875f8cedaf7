"""What XProf's tables say about a step, as facts."""

import re
from collections.abc import Mapping, Sequence

from tpuguru.base.location import Location
from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Record, Unknown, Value
from tpuguru.hardware.chips import find_chip
from tpuguru.telemetry.profile.tables import Cell, ProfileTable

GIGA = 1e9
_MOST_OPERATIONS = 40
# Columns of the step table that each share adds up (XProf overview_page, in milliseconds).
_SHARES = {
    "input_share": ("infeedTimeMs",),
    "collective_share": ("deviceCollectivesTimeMs", "deviceToDeviceTimeMs"),
    "compile_share": ("compileTimeMs",),
    "host_share": ("hostComputeTimeMs", "kernelLaunchTimeMs"),
    "transfer_share": ("outfeedTimeMs",),
}


class _ProfileFacts:
    def __init__(self, path: str) -> None:
        self.facts = Facts()
        self._origin = Origin(OriginKind.OBSERVED, "XProf profile", Location(path, 1))

    def put(self, name: str, value: FactValue | None) -> None:
        if value is not None and value != "":
            self.facts.put(name, Value(value, self._origin))


def profile_facts(tables: Sequence[ProfileTable], path: str) -> Facts:
    """Return the facts of a profile's tables; what no table holds stays unknown."""
    out = _ProfileFacts(path)
    for table in tables:
        _put_properties(out, table.properties)
        if table.rows and "stepTimeMs" in table.rows[0]:
            _put_steps(out, table.rows)
        if table.rows and "hlo_op_name" in table.rows[0]:
            _put_operations(out, table.rows)
    return out.facts


def _put_properties(out: _ProfileFacts, properties: Mapping[str, str]) -> None:
    hardware = properties.get("device_type") or properties.get("hardware_type") or ""
    out.put("profile.hardware", hardware)
    chip = find_chip(hardware) if hardware else None
    if chip:
        out.put("observed.accelerator", chip.name)
        out.put("observed.peak_flops", chip.peak_flops_per_device("bf16"))
        out.put("observed.peak_flops_per_chip", chip.peak_flops.get("bf16"))
    on_device = _percent(properties.get("device_duty_cycle_percent", ""))
    if on_device:  # zero where no device plane was recorded: then the figures below mean nothing
        out.put("profile.idle_share", _percent(properties.get("device_idle_time_percent", "")))
        out.put("profile.mxu_utilisation", _percent(properties.get("mxu_utilization_percent", "")))
        out.put("profile.hbm_utilisation", _percent(properties.get("hbm_utilization_percent", "")))


def _put_steps(out: _ProfileFacts, rows: Sequence[Mapping[str, Cell]]) -> None:
    total = sum(_number(row.get("stepTimeMs")) for row in rows)
    if total <= 0:
        return
    out.put("profile.steps", len(rows))
    out.put("profile.step_seconds", total / len(rows) / 1e3)
    out.put("profile.step_seconds_worst", max(_number(row.get("stepTimeMs")) for row in rows) / 1e3)
    for name, columns in _SHARES.items():
        out.put(
            f"profile.{name}", sum(_number(row.get(column)) for row in rows for column in columns) / total
        )


def _put_operations(out: _ProfileFacts, rows: Sequence[Mapping[str, Cell]]) -> None:
    timed = [row for row in rows if _number(row.get("total_self_time")) > 0]
    total = sum(_number(row.get("total_self_time")) for row in timed)
    if not total:
        return
    timed.sort(key=lambda row: -_number(row.get("total_self_time")))
    out.put("profile.operations", tuple(_operation(row, total) for row in timed[:_MOST_OPERATIONS]))
    memory = sum(_number(row.get("total_self_time")) for row in timed if _is_memory_bound(row))
    out.put("profile.memory_bound_share", memory / total)


def _operation(row: Mapping[str, Cell], total: float) -> Record:
    rate = row.get("model_flop_rate")
    return {
        "name": str(row.get("hlo_op_name") or ""),
        "category": str(row.get("category") or ""),
        "share": _number(row.get("total_self_time")) / total,
        "flop_rate": rate * GIGA if isinstance(rate, int | float) else Unknown("the table has no rate"),
        "bound_by": str(row.get("bound_by") or ""),
        "occurrences": _number(row.get("occurrences")),
    }


def _is_memory_bound(row: Mapping[str, Cell]) -> bool:
    return str(row.get("bound_by") or "").lower() not in ("", "compute", "unknown")


def _number(cell: Cell) -> float:
    return float(cell) if isinstance(cell, int | float) else 0.0


def _percent(text: str) -> float | None:
    found = re.match(r"([\d.]+)\s*%", text)
    return float(found.group(1)) / 100 if found else None

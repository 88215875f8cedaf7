"""The contract ``resolve/v1``: the value of every setting of a launch, and where each comes from."""

from typing import Any, Literal

import msgspec

from tpuguru.report.contracts.common import FindingRecord, LocationRecord, ToolRecord


class ResolvedSetting(msgspec.Struct, frozen=True):
    """A key with its value (null: not set) and origin; ``unknown`` says why there is no value."""

    key: str
    value: Any
    origin: str
    stated: bool
    location: LocationRecord | None = None
    unknown: str = ""


class ResolveReport(msgspec.Struct, frozen=True, rename={"schema_": "schema"}):
    """A resolved launch. ``authority`` is the defaults table, or the framework itself in a toolchain."""

    tool: ToolRecord
    path: str
    framework: str
    version: str
    authority: Literal["table", "toolchain"]
    schema_: Literal["resolve/v1"] = "resolve/v1"
    settings: tuple[ResolvedSetting, ...] = ()
    findings: tuple[FindingRecord, ...] = ()


CONTRACT = ("resolve.v1", ResolveReport)

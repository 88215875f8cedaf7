"""Settings that the user of tpuguru adds: they win over the paste and stay marked as filled in."""

from collections.abc import Mapping
from dataclasses import replace

from tpuguru.base.location import Location
from tpuguru.launch.arguments import mark_overridden
from tpuguru.launch.model import Launch, Setting, SettingSource

_OPTION = "--set"


def fill_in(launch: Launch, fills: Mapping[str, str]) -> Launch:
    """Return the launch with ``fills`` appended to its settings; the paste's own are overridden by them."""
    if not fills:
        return launch
    added = tuple(
        Setting(
            key=key,
            text=value,
            source=SettingSource.FILLED_IN,
            location=Location(_OPTION, number),
            raw=f"{key}={value}",
        )
        for number, (key, value) in enumerate(fills.items(), start=1)
    )
    return replace(launch, settings=mark_overridden((*launch.settings, *added)))

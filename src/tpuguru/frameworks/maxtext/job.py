"""The ahead-of-time job of a MaxText launch: words, flags and slice as the toolchain's worker takes them."""

import json
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.compiling import JobPlan
from tpuguru.frameworks.maxtext.defaults import NEWEST, Key, defaults
from tpuguru.frameworks.maxtext.resolve import environment_overrides
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch, Setting, SettingSource

if TYPE_CHECKING:
    from tpuguru.aot.job import CompilerFlags
    from tpuguru.aot.job import Target as AotTarget

# The job's target says these; the worker adds them itself.
_TARGET_KEYS = {"compile_topology", "compile_topology_num_slices"}
# They name a place or an account, never a program, and most often hold what only running would tell.
_PLACE_KEYS = {"run_name", "base_output_directory", "hf_access_token"}


def plan_job(launch: Launch, target: Target, toolchain: str, *, seconds: float = 3600.0) -> JobPlan:
    """Return the job that compiles the launch's train step for its slice, stopped after ``seconds``."""
    from tpuguru.aot.job import AotJob, Limits  # noqa: PLC0415

    notes: list[str] = []
    hardware = _hardware(target)
    job = AotJob(
        toolchain=toolchain,
        target=hardware,
        overrides=tuple(_overrides(launch, notes)),
        config_name=launch.config_path or "base.yml",
        config_text=_config_text(launch),
        flags=_flags(launch, notes),
        environment=tuple(_environment(launch)),
        limits=Limits(seconds=seconds),
    )
    slices = f"compile_topology_num_slices={hardware.slices}"
    notes.append(f"compile_topology={hardware.topology} {slices} ({target.origin})")
    return JobPlan(job, tuple(notes))


def _hardware(target: Target) -> "AotTarget":
    """Return the slice by MaxText's name; a slice that MaxText has no name for is described instead."""
    from tpuguru.aot.job import Target as AotTarget  # noqa: PLC0415

    chosen = target.slice
    if chosen.maxtext_name:
        return AotTarget(chosen.maxtext_name, chosen.slices)
    arguments = chosen.topology_arguments()
    return AotTarget(chosen.name, chosen.slices, chosen.devices_per_slice, arguments=arguments)


def _overrides(launch: Launch, notes: list[str]) -> list[tuple[str, str]]:
    words = []
    for setting in launch.settings:
        if setting.source is SettingSource.FILE or setting.overridden_by is not None:
            continue
        if setting.key in _PLACE_KEYS:
            notes.append(f"{setting.key} left out: it names a place or an account, not a program")
        elif isinstance(setting.text, Unknown):
            notes.append(_left_out(setting, setting.text))
        elif setting.key not in _TARGET_KEYS:
            words.append((setting.key, setting.text))
    return words


def _left_out(setting: Setting, unknown: Unknown) -> str:
    place = f" ({setting.location})" if setting.location else ""
    return f"{setting.key} left out: only running the script would tell its value, {unknown.reason}{place}"


def _environment(launch: Launch) -> list[tuple[str, str]]:
    pairs = environment_overrides(launch, defaults(NEWEST))
    return [(setting.key, setting.text) for setting, _ in pairs if isinstance(setting.text, str)]


def _flags(launch: Launch, notes: list[str]) -> "CompilerFlags":
    from tpuguru.aot.job import CompilerFlags  # noqa: PLC0415

    by_door: dict[str, list[str]] = {"XLA_FLAGS": [], "LIBTPU_INIT_ARGS": []}
    for flag in launch.compiler_flags:
        if flag.via == "compile_xla_flags" or flag.overridden_by is not None:
            continue  # MaxText reads compile_xla_flags itself, as the setting it is
        if isinstance(flag.text, Unknown):
            notes.append(_left_out(flag, flag.text))
        elif "_dump_" in flag.key:
            notes.append(f"{flag.key} left out: the run keeps its own dump")
        else:
            door = "XLA_FLAGS" if flag.via == "XLA_FLAGS" else "LIBTPU_INIT_ARGS"
            by_door[door].append(f"{flag.key}={flag.text}" if flag.text else flag.key)
    return CompilerFlags(tuple(by_door["LIBTPU_INIT_ARGS"]), tuple(by_door["XLA_FLAGS"]))


def _config_text(launch: Launch) -> str:
    """Return the YAML with the settings of the user's own configuration file; empty when there is none."""
    keys = defaults(NEWEST).keys
    lines = [
        f"{setting.key}: {_yaml_scalar(setting.text, keys.get(setting.key))}"
        for setting in launch.settings
        if setting.source is SettingSource.FILE
        and setting.overridden_by is None
        and isinstance(setting.text, str)
        and setting.key != "base_config"
    ]
    return "\n".join(["base_config: base.yml", *lines, ""]) if lines else ""


def _yaml_scalar(text: str, key: Key | None) -> str:
    """Quote texts, which YAML could take for numbers or booleans; leave everything else as it was written."""
    quoted = key is not None and key.type == "text" and text.lower() != "none"
    return json.dumps(text) if quoted else text

"""The ahead-of-time job of a MaxText launch: words, flags and slice as the toolchain's worker takes them."""

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tpuguru.base.redaction import REDACTED, redact
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.defaults import NEWEST, Key, defaults
from tpuguru.frameworks.maxtext.resolve import environment_overrides
from tpuguru.frameworks.maxtext.target import Target
from tpuguru.launch.model import Launch, Setting, SettingSource

if TYPE_CHECKING:
    from tpuguru.aot.job import AotJob, CompilerFlags

# The job's target says these; the worker adds them itself.
_TARGET_KEYS = {"compile_topology", "compile_topology_num_slices", "compile_xla_flags"}
# They name a place or a log, never a program, and most often hold what only running would tell.
_PLACE_KEYS = {"run_name", "base_output_directory", "hf_access_token"}


@dataclass(frozen=True, slots=True)
class JobPlan:
    """The job, and in words what was put in, left out or changed to make it one."""

    job: "AotJob"
    filled_in: tuple[str, ...]


def plan_job(launch: Launch, target: Target, toolchain: str) -> JobPlan:
    """Return the job that compiles the launch's train step for its slice."""
    from tpuguru.aot.job import AotJob  # noqa: PLC0415
    from tpuguru.aot.job import Target as AotTarget  # noqa: PLC0415

    notes: list[str] = []
    overrides = tuple(_overrides(launch, notes))
    flags = _flags(launch, notes)
    table = defaults(NEWEST)
    environment = tuple(
        (setting.key, setting.text)
        for setting, _ in environment_overrides(launch, table)
        if isinstance(setting.text, str)
    )
    topology = target.slice.maxtext_name or target.slice.libtpu_topology
    job = AotJob(
        toolchain=toolchain,
        worker="maxtext_train",
        overrides=overrides,
        config_name=launch.config_path or "base.yml",
        config_text=_config_text(launch),
        target=AotTarget(topology=topology, slices=target.slice.slices),
        flags=flags,
        environment=environment,
    )
    notes.append(
        f"compile_topology={topology} compile_topology_num_slices={target.slice.slices}: {target.origin}"
    )
    return JobPlan(job, tuple(notes))


def _overrides(launch: Launch, notes: list[str]) -> list[tuple[str, str]]:
    words = []
    for setting in launch.settings:
        if setting.source is not SettingSource.COMMAND and setting.source is not SettingSource.FILLED_IN:
            continue
        if setting.overridden_by is not None or setting.key in _TARGET_KEYS:
            continue
        if isinstance(setting.text, Unknown):
            _note_unknown(setting, setting.text, notes)
        elif setting.key in _PLACE_KEYS or REDACTED in redact(f"{setting.key}={setting.text}"):
            notes.append(f"{setting.key} left out: it names a place or a secret, not a program")
        else:
            words.append((setting.key, setting.text))
    return words


def _note_unknown(setting: Setting, unknown: Unknown, notes: list[str]) -> None:
    place = f" ({setting.location})" if setting.location else ""
    notes.append(
        f"{setting.key} left out: only running the script would tell its value, {unknown.reason}{place}"
    )


def _flags(launch: Launch, notes: list[str]) -> "CompilerFlags":
    from tpuguru.aot.job import CompilerFlags  # noqa: PLC0415

    init, xla, options = [], [], []
    for flag in launch.compiler_flags:
        if flag.overridden_by is not None or isinstance(flag.text, Unknown):
            continue
        if "dump" in flag.key:
            notes.append(f"{flag.key} left out: the run keeps its own dump")
        elif flag.via == "XLA_FLAGS":
            xla.append(_flag_text(flag))
        elif flag.via == "compile_xla_flags":
            options.append((flag.key.lstrip("-"), flag.text))
        else:
            init.append(_flag_text(flag))
    return CompilerFlags(libtpu_init_args=tuple(init), xla_flags=tuple(xla), compile_options=tuple(options))


def _flag_text(flag: Setting) -> str:
    return f"{flag.key}={flag.text}" if flag.text else flag.key


def _config_text(launch: Launch) -> str:
    """Return the YAML with the settings of the user's own configuration file; empty when there is none."""
    keys = defaults(NEWEST).keys
    written = [
        setting
        for setting in launch.settings
        if setting.source is SettingSource.FILE and setting.overridden_by is None
    ]
    lines = [
        f"{setting.key}: {_yaml_scalar(setting.text, keys.get(setting.key))}"
        for setting in written
        if isinstance(setting.text, str) and setting.key != "base_config"
    ]
    return "\n".join(["base_config: base.yml", *lines, ""]) if lines else ""


def _yaml_scalar(text: str, key: Key | None) -> str:
    """Quote texts, which YAML could take for numbers or booleans; leave everything else as it was written."""
    return json.dumps(text) if key is not None and key.type == "text" and text.lower() != "none" else text

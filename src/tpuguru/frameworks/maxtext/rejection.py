"""MaxText's own refusal, told as a finding: the key, its place in the paste, what to write instead."""

import re
from dataclasses import replace

from tpuguru.facts.finding import Finding
from tpuguru.frameworks.maxtext import refusals
from tpuguru.frameworks.maxtext.defaults import NEWEST, Defaults, defaults, versions
from tpuguru.launch.model import Launch, Setting

_UNKNOWN_KEY = r"'(?P<key>[\w.]+)' not in "
_PYDANTIC_FIELD = r"validation errors? for \w+\n(?P<key>\w+)\n\s+(?P<message>[^\n]+)"
_PYDANTIC_MODEL = r"Value error, (?P<message>[^\n]+?)(?: \[type=value_error|$)"
_LONGEST_MESSAGE = 400


def rejection_finding(message: str, launch: Launch, version: str = NEWEST) -> Finding:
    """Return the finding for what pyconfig, or the trace, said when it stopped."""
    table = defaults(version if version in versions() else NEWEST)
    return _unknown_key(message, launch, table) or _field(message, launch, table) or _other(message, launch)


def flag_finding(message: str, launch: Launch) -> Finding:
    """Return the finding for a compiler flag that the TPU compiler refused."""
    said = " ".join(message.split())
    written = [flag for flag in launch.compiler_flags if flag.overridden_by is None]
    flag = refusals.located(said, tuple(written), bare=True)
    advised = advised_flag(message)
    fix = f"--{advised}" if advised else f"remove {flag.key}" if flag else ""
    title = f"the TPU compiler refuses {flag.key if flag else 'a flag'}"
    return refusals.refusal("flag-refused", title, message=_short(said), setting=flag, fix=fix)


def advised_flag(message: str) -> str:
    """Return ``name=value`` when the compiler says what to set: «Please disable it with xla_…=false»."""
    found = re.search(r"\bwith (?:--)?(xla_\w+=[\w.-]+)", message)
    return found[1] if found else ""


def _unknown_key(message: str, launch: Launch, table: Defaults) -> Finding | None:
    """``'fsdp_shard_on_exp' not in 'run_name', …``: the list of a thousand keys is of no use to anyone."""
    found = re.search(_UNKNOWN_KEY, message)
    setting = _winner(launch, found["key"]) if found else None
    return refusals.unknown_key(setting, table) if setting else None


def _field(message: str, launch: Launch, table: Defaults) -> Finding | None:
    found = re.search(_PYDANTIC_FIELD, message)
    setting = _winner(launch, found["key"]) if found else None
    if found is None or setting is None or setting.key not in table.keys:
        return None
    takes = found["message"].split(" [type=")[0].removeprefix("Input should be ")
    finding = refusals.invalid_value(setting, _short(takes, 120), table.keys[setting.key])
    return replace(finding, message=f"MaxText's own words: {_short(found['message'])}")


def _other(message: str, launch: Launch) -> Finding:
    found = re.search(_PYDANTIC_MODEL, message)
    said = found["message"] if found else message.strip().splitlines()[-1] if message.strip() else "no reason"
    setting = refusals.located(said, launch.settings)
    return refusals.refusal(
        "refused",
        f"MaxText refuses the launch: {_short(said)}",
        setting=setting,
        fix=_suggested(said, setting),
    )


def _suggested(said: str, setting: Setting | None) -> str:
    """Return the value that the message asks for, when it names one: «X must be False (was True)»."""
    found = re.search(r"(\w+) must be ([\w.-]+)(?: \(was|$|\.)", said)
    if found and setting is not None and found[1] == setting.key:
        return f"{setting.key}={found[2]}"
    return ""


def _winner(launch: Launch, key: str) -> Setting | None:
    return launch.setting(key)


def _short(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 2] + " …"

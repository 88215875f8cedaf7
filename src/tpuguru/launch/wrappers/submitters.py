"""Commands that send another one to a cluster: xpk, ray, kubectl, gcloud, ssh."""

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tpuguru.facts.value import Unknown
from tpuguru.launch.source import PLACEHOLDER, EmbeddedSource, Piece, Traced, join
from tpuguru.launch.wrappers.invocation import (
    Exported,
    Invocation,
    Option,
    all_options,
    exported,
    options_of,
    target_setting,
)

if TYPE_CHECKING:
    from tpuguru.launch.model import Setting

_TARGET_KEYS = {
    "tpu-type": "device_type",
    "device-type": "device_type",
    "tpu_type": "device_type",
    "device_type": "device_type",
    "num-slices": "num_slices",
    "num_slices": "num_slices",
    "num-nodes": "nodes",
    "cluster": "cluster",
    "accelerator-type": "accelerator_type",
    "TPU_TYPE": "device_type",
    "NUM_SLICES": "num_slices",
}
_PYTHONS = ("python", "python3")
_RAY_SWITCHES = frozenset(("no-wait", "verbose", "v", "exit-on-shutdown", "log-style-record"))
_SSH_VALUELESS = "1246AaCfGgKkMNnqsTtVvXxYy"


def script_of(words: tuple[Traced, ...]) -> Traced:
    """Return words joined by blanks: what ssh hands to the remote shell."""
    first = words[0].pieces[0] if words and words[0].pieces else None
    if first is None:
        return Traced()
    return join(words, Piece(" ", first.source, first.start, first.start, verbatim=False))


type Script = tuple[Invocation, Traced]


def submitted_script(invocation: Invocation) -> Script | None:
    """Return the invocation around, and the text that a remote shell would read; None when it sends none."""
    program = invocation.program
    words = _without_interpreter(invocation)
    if program in ("xpk", "xpk.py") or words is not invocation:
        return _xpk(words) or _option_script(words, ("COMMAND",), words.program)
    if program == "gcloud" and any(word.text == "ssh" for word in invocation.words):
        return _option_script(invocation, ("command",), "gcloud … ssh")
    if program == "ssh":
        _, index = options_of(invocation.words, 1, frozenset(), _SSH_VALUELESS)
        if index + 1 < len(invocation.words):
            inner = invocation.inside((), "ssh", environment=())
            return inner, script_of(invocation.words[index + 1 :])
    return None


def _without_interpreter(invocation: Invocation) -> Invocation:
    """Return the invocation from the script on, for ``python3 xpk.py …``."""
    if invocation.program in _PYTHONS and invocation.text(1).rsplit("/", 1)[-1] in (
        "xpk.py",
        "multihost_runner.py",
        "multihost_job.py",
    ):
        return invocation.inside(invocation.words[1:])
    if (
        invocation.program in _PYTHONS
        and invocation.text(1) == "-m"
        and invocation.text(2) in ("xpk", "xpk.main")
    ):
        return invocation.inside(invocation.words[2:])
    return invocation


def _xpk(invocation: Invocation) -> Script | None:
    if invocation.text(1) != "workload" or not invocation.text(2).startswith("create"):
        return None
    return _option_script(invocation, ("command",), f"xpk workload {invocation.text(2)}")


def _option_script(invocation: Invocation, names: tuple[str, ...], wrapper: str) -> Script | None:
    environment: list[Exported] = []
    target: list[Setting] = []
    script: Traced | None = None
    for option in all_options(invocation.words, 1):
        if option.name in names:
            script = option.value
        elif option.name in _TARGET_KEYS:
            target.append(target_setting(_TARGET_KEYS[option.name], option))
        elif option.name == "env" and (variable := exported(option)):
            environment.append(variable)
    if script is None or not script.pieces:
        return None
    return invocation.inside((), wrapper, environment=tuple(environment), target=tuple(target)), script


def unwrap_submitter(invocation: Invocation) -> Invocation | None:
    """Return the command that ``ray job submit … --`` or ``kubectl exec … --`` runs."""
    program = invocation.program
    if program == "ray" and invocation.text(1) == "job" and invocation.text(2) == "submit":
        return _ray(invocation)
    if program == "kubectl" and any(word.text in ("exec", "run", "debug") for word in invocation.words[1:4]):
        return _after_dashes(invocation, "kubectl")
    return None


def _after_dashes(invocation: Invocation, wrapper: str) -> Invocation | None:
    for index, word in enumerate(invocation.words):
        if word.text == "--" and index + 1 < len(invocation.words):
            return invocation.inside(invocation.words[index + 1 :], wrapper, environment=())
    return None


def _ray(invocation: Invocation) -> Invocation | None:
    options, index = options_of(invocation.words, 3, _RAY_SWITCHES)
    if index >= len(invocation.words):
        return None
    environment = list(invocation.environment)
    for option in options:
        if option.name in ("runtime-env-json", "runtime_env_json"):
            environment.extend(_runtime_environment(option))
    return invocation.inside(invocation.words[index:], "ray job submit", environment=tuple(environment))


def _runtime_environment(option: Option) -> Iterator[Exported]:
    """Yield the variables under ``env_vars`` of a runtime environment written as JSON."""
    source = EmbeddedSource(option.value)
    try:
        document = json.loads(source.text)
    except (ValueError, RecursionError):
        return
    variables = document.get("env_vars") if isinstance(document, dict) else None
    for name, value in variables.items() if isinstance(variables, dict) else ():
        part = _part(source, json.dumps(str(name)), str(value))
        yield Exported(str(name), part, part.location())


def _part(source: EmbeddedSource, quoted_name: str, value: str) -> Traced:
    """Return the value's characters inside the JSON text, so that they keep their place."""
    after = source.text.find(quoted_name)
    start = source.text.find(value, after + len(quoted_name)) if after >= 0 and value else -1
    if start < 0:
        start = max(after, 0)
        return Traced((Piece(value, source, start, start + 1, verbatim=False),))
    if PLACEHOLDER in value:
        unknown = source.unknown(start + value.index(PLACEHOLDER)) or Unknown("not known")
        return Traced((Piece(unknown, source, start, start + len(value)),))
    return Traced((Piece(value, source, start, start + len(value)),))

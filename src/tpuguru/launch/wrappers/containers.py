"""``docker run IMAGE …`` and its kin: options, environment, and the command inside."""

from typing import TYPE_CHECKING

from tpuguru.launch.wrappers.invocation import (
    Exported,
    Invocation,
    Option,
    exported,
    options_of,
    target_setting,
)

if TYPE_CHECKING:
    from tpuguru.launch.model import Setting
    from tpuguru.launch.source import Traced

_ENGINES = ("docker", "podman", "nerdctl")
_SWITCHES = frozenset(
    {
        "rm",
        "init",
        "privileged",
        "read-only",
        "no-healthcheck",
        "oom-kill-disable",
        "sig-proxy",
        "tty",
        "quiet",
        "interactive",
        "detach",
        "publish-all",
        "disable-content-trust",
        "help",
        "replace",
        "rmi",
    }
)
_SINGULARITY_SWITCHES = frozenset(
    ("nv", "rocm", "containall", "cleanenv", "writable", "writable-tmpfs", "no-home")
)
_VALUELESS_SHORT = "itdPq"


def unwrap_container(invocation: Invocation) -> Invocation | None:
    """Return the command that runs inside the container, or None when this starts none."""
    program = invocation.program
    if program in _ENGINES and invocation.text(1) in ("run", "exec", "container", "create"):
        return _docker(invocation)
    if program in ("apptainer", "singularity") and invocation.text(1) in ("exec", "run"):
        options, index = options_of(invocation.words, 2, _SINGULARITY_SWITCHES, "ce")
        return _inside(invocation, options, index, program)
    return None


def _docker(invocation: Invocation) -> Invocation | None:
    start = 2
    if invocation.text(1) == "container":
        start = 3
    options, index = options_of(invocation.words, start, _SWITCHES, _VALUELESS_SHORT)
    return _inside(invocation, options, index, f"{invocation.program} {invocation.text(start - 1)}")


def _inside(invocation: Invocation, options: list[Option], index: int, wrapper: str) -> Invocation | None:
    """``index`` is the image's (or container's) word; what follows it runs, after any ``--entrypoint``."""
    if index >= len(invocation.words):
        return None
    environment: list[Exported] = []
    target: list[Setting] = []
    entry: tuple[Traced, ...] = ()
    for option in options:
        if option.name in ("e", "env"):
            variable = exported(option, invocation.shell)
            environment.extend([variable] if variable else [])
        elif option.name == "env-file":
            invocation.context.note(
                "environment-file", f"the variables in {option.value.shown} were not read", option.word.site
            )
        elif option.name == "entrypoint":
            entry = (option.value,)
        elif option.name == "gpus":
            target.append(target_setting("gpus", option))
    words = entry + invocation.words[index + 1 :]
    if not words:
        return None
    image = invocation.words[index].shown
    return invocation.inside(
        words, f"{wrapper} {image}", environment=tuple(environment), target=tuple(target)
    )

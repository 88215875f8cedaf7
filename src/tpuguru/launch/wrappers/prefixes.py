"""Commands that start another one in place: ``env``, ``nohup``, ``timeout``, ``stdbuf``, ``srun`` …."""

import re

from tpuguru.launch.wrappers.invocation import Exported, Invocation, options_of

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*")

# Per program: options that take no value, one-letter ones, and how many operands stand before the command.
_PREFIXES: dict[str, tuple[frozenset[str], str, int]] = {
    "nohup": (frozenset(), "", 0),
    "setsid": (frozenset(("fork", "wait")), "fw", 0),
    "time": (frozenset(("verbose", "portability", "append")), "vpa", 0),
    "timeout": (frozenset(("foreground", "preserve-status", "verbose")), "v", 1),
    "stdbuf": (frozenset(), "", 0),
    "unbuffer": (frozenset(), "p", 0),
    "nice": (frozenset(), "", 0),
    "ionice": (frozenset(("ignore",)), "t", 0),
    "numactl": (frozenset(("localalloc", "all")), "la", 0),
    "taskset": (frozenset(("all-tasks",)), "a", 1),
    "exec": (frozenset(), "cl", 0),
    "command": (frozenset(), "p", 0),
    "builtin": (frozenset(), "", 0),
    "sudo": (frozenset(("preserve-env", "login", "non-interactive", "set-home")), "EHinSsbk", 0),
    "catchsegv": (frozenset(), "", 0),
    "chronic": (frozenset(), "ve", 0),
    "srun": (frozenset(("exclusive", "label", "unbuffered", "overlap", "pty")), "luQvK", 0),
    "mpirun": (frozenset(("allow-run-as-root", "tag-output", "oversubscribe")), "v", 0),
    "mpiexec": (frozenset(("allow-run-as-root",)), "v", 0),
}
# One-letter options with the value attached: ``stdbuf -oL``, ``nice -n10``.
_ATTACHED = {"stdbuf": "oei", "nice": "n0123456789", "numactl": "NmCp", "ionice": "cnp", "srun": "NnctpwJ"}
_TWO_WORDS = {
    ("uv", "run"),
    ("poetry", "run"),
    ("pipenv", "run"),
    ("conda", "run"),
    ("hatch", "run"),
    ("rye", "run"),
}


def unwrap_prefix(invocation: Invocation) -> Invocation | None:
    """Return the command after a prefix program, or None when the program is none."""
    program = invocation.program
    if program == "env":
        return _unwrap_env(invocation)
    if (program, invocation.text(1)) in _TWO_WORDS:
        switches = frozenset(("no-capture-output", "live-stream", "no-sync", "frozen", "locked", "isolated"))
        _, index = options_of(invocation.words, 2, switches)
        return _after(invocation, index, f"{program} run")
    prefix = _PREFIXES.get(program)
    if prefix is None:
        return None
    if program == "command" and invocation.text(1) in ("-v", "-V"):
        return None
    switches, short, operands = prefix
    _, index = options_of(invocation.words, 1, switches, short, _ATTACHED.get(program, ""))
    return _after(invocation, index + operands, program)


def _after(invocation: Invocation, index: int, wrapper: str) -> Invocation | None:
    if index >= len(invocation.words):
        return None
    return invocation.inside(invocation.words[index:], wrapper)


def _unwrap_env(invocation: Invocation) -> Invocation | None:
    environment = list(invocation.environment)
    index = 1
    while index < len(invocation.words):
        word = invocation.words[index]
        parts = word.partition("=")
        text = invocation.text(index)
        if parts and _ASSIGNMENT.fullmatch(parts[0]):
            environment.append(Exported(parts[0], parts[1], word.site or word.location()))
        elif text in ("-u", "--unset") and index + 1 < len(invocation.words):
            index += 1
            dropped = invocation.text(index)
            environment = [entry for entry in environment if entry.name != dropped]
        elif text in ("-i", "-", "--ignore-environment"):
            environment = []
        elif text not in ("--", "-S") and text[:1] != "-":
            return invocation.inside(invocation.words[index:], "env", environment=tuple(environment))
        index += 1
    return None

"""Choose the command's module by name, import only that one, and guard it."""

import argparse
import errno
import io
import os
import signal
import sys
from importlib import import_module
from pkgutil import iter_modules
from typing import Protocol, cast

from tpuguru.base.errors import ToolFailureError, TpuguruError
from tpuguru.base.exit_codes import ExitCode
from tpuguru.base.suggest import did_you_mean
from tpuguru.cli import commands

DESCRIPTION = "Says what a launch will really do, before a chip is paid for, and what it really did, after."
_OUTPUT_IS_GONE = (errno.ENOSPC, errno.EIO, errno.EDQUOT, errno.EBADF)


class CommandModule(Protocol):
    """What a module under cli/commands provides. Heavy imports belong inside ``run``."""

    SUMMARY: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Add the command's arguments."""

    def run(self, arguments: argparse.Namespace) -> int:
        """Do the work and return the exit code."""


def command_names() -> list[str]:
    """Return the names of all commands; a module ``kb_check`` is the command ``kb-check``."""
    return sorted(
        module.name.replace("_", "-") for module in iter_modules(commands.__path__) if module.name[0] != "_"
    )


def load_command(name: str) -> CommandModule:
    """Import one command's module."""
    return cast("CommandModule", import_module(f"{commands.__name__}.{name.replace('-', '_')}"))


def dispatch(words: list[str]) -> int:
    """Run the command that ``words`` names and return its exit code."""
    _write_any_text()
    if not words or words[0] in ("-h", "--help", "help"):
        print(overview())
        return ExitCode.CLEAN if words else ExitCode.USAGE
    name = words[0]
    names = command_names()
    if name not in names:
        return _report(unknown_command(name, names))
    module = load_command(name)
    parser = argparse.ArgumentParser(
        prog=f"tpuguru {name}",
        description=module.SUMMARY,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.configure(parser)
    return _guarded(module, parser, words[1:])


def overview() -> str:
    """Return the help text that lists every command."""
    names = command_names()
    width = max(len(name) for name in names)
    lines = [f"  {name:{width}}  {load_command(name).SUMMARY}" for name in names]
    return "\n".join(
        [
            DESCRIPTION,
            "",
            "usage: tpuguru COMMAND …",
            "",
            *lines,
            "",
            "tpuguru COMMAND --help says more; tpuguru --version.",
        ]
    )


def unknown_command(name: str, names: list[str]) -> TpuguruError:
    """Return the error for a command that does not exist, with the nearest ones."""
    error = TpuguruError(f"unknown command {name!r}")
    error.exit_code = ExitCode.USAGE
    near = did_you_mean(name, names)
    error.help = f"did you mean {' or '.join(near)}?" if near else f"commands: {', '.join(names)}"
    return error


def _guarded(module: CommandModule, parser: argparse.ArgumentParser, words: list[str]) -> int:
    try:
        code = module.run(parser.parse_args(words))
        sys.stdout.flush()  # here, where it can fail with a sentence
    except TpuguruError as error:
        return _report(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except BrokenPipeError:
        # The reader went away (`| head`): stop quietly, as cat does.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 128 + signal.SIGPIPE
    except OSError as error:
        return _report_lost_output(error) if _is_lost_output(error) else _report_bug(error)
    except Exception as error:  # noqa: BLE001 - the last line of defence: no traceback reaches the user
        return _report_bug(error)
    return code


def _is_lost_output(error: OSError) -> bool:
    return error.errno in _OUTPUT_IS_GONE and error.filename is None


def _report_lost_output(error: OSError) -> int:
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123 - for what is buffered yet
    return _report(ToolFailureError(f"the output cannot be written: {error.strerror}"))


def _report_bug(error: Exception) -> int:
    from tpuguru.cli.bug_report import write_bug_report  # noqa: PLC0415

    return _report(write_bug_report(error))


def _write_any_text() -> None:
    """Let a terminal that is not UTF-8 show ``?`` for what it cannot, and stand in for a closed one."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.encoding.lower().replace("-", "") != "utf8":
            stream.reconfigure(errors="replace")
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _report(error: TpuguruError) -> int:
    from tpuguru.base.redaction import redact  # noqa: PLC0415

    # What was typed or pasted is often part of the sentence, and may hold a secret.
    print(f"error: {redact(error.message)}", file=sys.stderr)
    if error.location:
        print(f"  --> {error.location}", file=sys.stderr)
    if error.details:
        print(redact(error.details), file=sys.stderr)
    if error.help:
        print(f"  help: {redact(error.help)}", file=sys.stderr)
    return error.exit_code

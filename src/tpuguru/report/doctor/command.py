"""What ``tpuguru doctor`` does: lint with the perf-doctor's report, for Relax launches only."""

import re
from dataclasses import replace

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.units import GiB, MiB, TiB
from tpuguru.report.doctor.render import doctor_report
from tpuguru.report.lint.command import LintOptions, lint_command
from tpuguru.report.lint.run import LintRun
from tpuguru.rules.catalog import Catalog

_SIZE = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(T|G|M)(?:iB)?", re.IGNORECASE)
_UNITS = {"T": TiB, "G": GiB, "M": MiB}


def doctor_command(options: LintOptions, model: str, host_memory: str) -> int:
    """Lint, print the report, and return lint's exit code.

    Raises:
        UsageError: a GPU, model or size that does not exist.
        NothingToCheckError: no Relax launch is in the input.

    """
    given = [("model", model)] if model else []
    if host_memory:
        given.append(("host_memory", str(memory_size(host_memory))))
    return lint_command(replace(options, hardware=(*options.hardware, *given)), show=_show)


def memory_size(text: str) -> int:
    """Return bytes of «1TiB», «960GiB». UsageError."""
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--host-memory {text!r} is not a size", help="for example 1TiB or 960GiB")
    return round(float(found[1]) * _UNITS[found[2].upper()])


def _show(run: LintRun, catalog: Catalog) -> str:
    others = [judged.launch.framework for judged in run.launches if judged.launch.framework != "relax"]
    if others:
        raise NothingToCheckError(
            f"{run.launches[0].paste.path} launches {others[0]}, the perf-doctor reads Relax",
            help="tpuguru lint judges it",
        )
    return doctor_report(run, catalog)

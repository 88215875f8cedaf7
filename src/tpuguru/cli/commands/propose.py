"""tpuguru propose: turn a fault that no rule knows into a candidate rule."""

import argparse
from pathlib import Path

SUMMARY = "Write a candidate rule from a log, a run or a case that no rule catches yet"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument(
        "--from",
        dest="evidence",
        required=True,
        metavar="RUN|LOG|CASE",
        help="a run's id, a log, - for standard input, or a case file (.toml with input, expected_answer)",
    )
    parser.add_argument("--folder", default="proposals", help="where to write it (default: proposals/)")


def run(arguments: argparse.Namespace) -> int:
    """Write the candidate and say what to do next."""
    from tpuguru.report.proposals.candidate import candidate, save  # noqa: PLC0415
    from tpuguru.report.proposals.evidence import read_evidence  # noqa: PLC0415

    evidence = read_evidence(_log_of(arguments.evidence))
    made = candidate(evidence)
    path = save(made, evidence, Path(arguments.folder))
    print(f"{path}: {made.qualifies}")
    print(f"read it, fill in what is marked TODO, then: tpuguru rules confirm {path}")
    return 0


def _log_of(word: str) -> str:
    """Return the worker's error log when the word is a run's id."""
    if word == "-" or Path(word).exists():
        return word
    from tpuguru.base.locations import state_directory  # noqa: PLC0415

    log = state_directory() / "runs" / word / "logs" / "worker.err"
    return str(log) if log.is_file() else word

"""The command ``rehearse --prove``: consent, the proof, the report, the exit code."""

import sys
from pathlib import Path

import msgspec

from tpuguru.base.exit_codes import ExitCode
from tpuguru.report.contracts.setting_proof import SettingProofReport, to_contract
from tpuguru.report.proving.text import proof_text
from tpuguru.report.rehearsal.command import ask, show_line
from tpuguru.slice.figures import blank_figures
from tpuguru.slice.proving.prove import ProofRequest, prove_settings

_NEVER_MEANT = ("harmful", "masked", "redundant")
"""Verdicts that nobody can have wanted when writing the setting."""


def prove_command(request: ProofRequest, *, yes: bool, output_format: str) -> int:
    """Prove and print. The program's own output, of its first run, goes to the standard error."""
    ask(request.rehearsal, yes=yes, beside=_repetition(request))
    found = prove_settings(request, _show, _say)
    report = to_contract(found, request.command.words)
    encoded = msgspec.json.format(msgspec.json.encode(report), indent=2)
    _store(found.folder, encoded)
    print(encoded.decode() if output_format == "json" else proof_text(report))
    return exit_code(report)


def exit_code(report: SettingProofReport) -> ExitCode:
    """0: every setting was judged and none is clearly wrong. 130: interrupted.

    1: the program fails, or a setting is harmful, masked, redundant, or a compiler flag without effect.
    """
    if report.interrupted:
        return ExitCode.INTERRUPTED
    wrong = any(
        setting.verdict in _NEVER_MEANT or (setting.kind == "flag" and setting.verdict == "no-effect")
        for setting in report.settings
    )
    return ExitCode.FINDINGS if wrong or report.refusal else ExitCode.CLEAN


def _repetition(request: ProofRequest) -> str:
    return (
        "and then again and again for at most "
        f"{request.seconds:.0f} s, each time with some of its settings left out or changed: "
        "what it writes to then is where it writes by default"
    )


def _show(rank: int, stream: str, line: str) -> None:
    show_line(rank, stream, blank_figures(line)[0])


def _say(text: str) -> None:
    print(f"prove: {text}", file=sys.stderr)


def _store(folder: Path, report: bytes) -> None:
    part = folder / "proof.json.part"
    part.write_bytes(report)
    part.replace(folder / "proof.json")

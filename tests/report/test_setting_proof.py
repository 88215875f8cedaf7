"""A proof of settings as text, as a contract, and as an exit code."""

from pathlib import Path

from tpuguru.report.contracts.setting_proof import SettingProofReport, to_contract
from tpuguru.report.proving.command import exit_code
from tpuguru.report.proving.text import proof_text
from tpuguru.slice.proving.model import ProgramChange, SettingProof, SettingReport, SettingVerdict


def report_of(*proofs: SettingProof, **fields: object) -> SettingProofReport:
    report = SettingReport(Path("/proofs/1"), proofs, main="jit_step", until="the program jit_step")
    for name, value in fields.items():
        setattr(report, name, value)
    return to_contract(report, ("python", "train.py", "--api-token", "hf_abcdefghijklmnopqrstuvwxyz012345"))


LIVE = SettingProof(
    "--remat",
    "full",
    "option",
    SettingVerdict.LIVE,
    changes=(
        ProgramChange("jit_init", "differs", ("- a", "+ b")),
        ProgramChange("jit_step", "differs", ("- stablehlo.tanh",)),
        ProgramChange("jit_eval", "missing"),
    ),
    hash_with="a" * 64,
    hash_without="b" * 64,
)
IDLE = SettingProof(
    "--run-name", "x", "option", SettingVerdict.NO_EFFECT, hash_with="a" * 64, hash_without="a" * 64
)
MASKED = SettingProof(
    "--window", "8", "option", SettingVerdict.MASKED, reason="hidden", masked_by=("--attention",)
)
FLAG = SettingProof("--xla_a", "1", "flag", SettingVerdict.NO_EFFECT)


def test_the_step_is_shown_first_and_what_does_nothing_before_what_does() -> None:
    """A change of the main program says most; silent settings come before live ones."""
    text = proof_text(report_of(LIVE, IDLE))
    assert text.index("--run-name x  aaaaaaaaaaaa = aaaaaaaaaaaa") < text.index("--remat full")
    assert "--remat full  aaaaaaaaaaaa ≠ bbbbbbbbbbbb\n      jit_step:\n        - stablehlo.tanh\n" in text
    assert "also jit_init, no longer jit_eval" in text
    assert "it may act elsewhere" in text


def test_what_was_not_compared_is_named() -> None:
    """Programs after the stop, programs that differ by themselves, and runs that could not be forked."""
    fields = {
        "not_compared": ("jit_eval",),
        "unstable": ("jit_step",),
        "notes": ["each run is a fresh process: x"],
    }
    text = proof_text(report_of(LIVE, **fields))
    assert "not compared, since they come later: jit_eval" in text
    assert "jit_step differ from run to run" in text
    assert "each run is a fresh process: x" in text
    assert "fix the seed" in proof_text(report_of(LIVE, unstable=("jit_step",), judged=False))


def test_exit_codes() -> None:
    """1 only for what nobody can have meant; a run name without effect is no finding."""
    assert exit_code(report_of(LIVE, IDLE)) == 0
    assert exit_code(report_of(LIVE, MASKED)) == 1
    assert exit_code(report_of(FLAG)) == 1
    assert exit_code(report_of(IDLE, refusal="ValueError")) == 1
    assert exit_code(report_of(IDLE, interrupted=True)) == 130


def test_secrets_do_not_leave() -> None:
    """Neither on the command line nor as a setting's value."""
    secret = SettingProof("--api-key", "sk-0123456789abcdef0123", "option", SettingVerdict.NO_EFFECT)
    report = report_of(secret)
    assert "hf_abcdef" not in " ".join(report.command)
    assert report.settings[0].value == "<redacted>"

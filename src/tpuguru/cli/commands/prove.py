"""``tpuguru prove``: which settings of a launch change its program."""

import argparse
from typing import TYPE_CHECKING

from tpuguru.cli.commands import _launch_job

if TYPE_CHECKING:
    from tpuguru.aot.proofs import DeadSettingProof, ProofReport

SUMMARY = "prove, setting by setting, what a launch's settings do to its program"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    _launch_job.add_arguments(parser)
    parser.add_argument(
        "--level", choices=("fast", "all"), default="fast", help="all: compiler flags too, a compile each"
    )
    parser.add_argument(
        "--budget", type=float, default=120.0, metavar="SECONDS", help="time for lowering (default: 120)"
    )
    parser.add_argument("--output-format", choices=("text", "json"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Prove and print. The exit status is 1 when a setting is dead, or the launch refused."""
    from tpuguru.aot.proofs import ProveLevel, Verdict, prove  # noqa: PLC0415
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415

    plan = _launch_job.plan(arguments, seconds=3600.0)
    listen = _launch_job.listener(quiet=arguments.quiet)
    level = ProveLevel(arguments.level)
    report = prove(plan.job, level=level, on_event=listen, budget_seconds=arguments.budget)
    if arguments.output_format == "json":
        import msgspec  # noqa: PLC0415

        print(msgspec.json.format(msgspec.json.encode(report), indent=1).decode())
    else:
        print(_as_text(report))
    dead = any(proof.verdict in (Verdict.DEAD, Verdict.REDUNDANT) for proof in report.proofs)
    return ExitCode.FINDINGS if dead or report.refusal else ExitCode.CLEAN


def _as_text(report: "ProofReport") -> str:
    from tpuguru.aot.proofs import Verdict  # noqa: PLC0415

    if report.refusal:
        return f"the launch itself is refused: {report.refusal[:1000]}"
    blocks = []
    for verdict in (Verdict.DEAD, *(each for each in Verdict if each is not Verdict.DEAD)):
        proofs = [proof for proof in report.proofs if proof.verdict is verdict]
        if proofs:
            blocks.append("\n".join([f"{verdict} ({len(proofs)})", *(_line(proof) for proof in proofs)]))
    if not report.deterministic:
        blocks.append("lowering the same launch twice gave two programs: differences prove nothing here")
    return "\n\n".join(blocks)


def _line(proof: "DeadSettingProof") -> str:
    equal = "=" if proof.hash_with == proof.hash_without else "≠"
    hashes = f"  {proof.hash_with[:12]} {equal} {proof.hash_without[:12]}" if proof.hash_without else ""
    reason = f"\n      {proof.reason[:300]}" if proof.reason else ""
    live = f"\n      to make it act: {proof.make_live}" if proof.make_live else ""
    return f"  {proof.key}={proof.value}{hashes}{reason}{live}"

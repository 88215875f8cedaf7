"""tpuguru ask: an answer made of quoted claims, or that the question is not covered."""

import argparse
import sys

from tpuguru.base.exit_codes import ExitCode

SUMMARY = "answer a question (English or Chinese) from the knowledge base, by quoting its claims"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("question", nargs="+", help="the question, in words; - reads it from standard input")
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    parser.add_argument(
        "--language", choices=("auto", "en", "zh"), default="auto", help="language of the frame (claims stay)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Answer and print; exit 3 when neither the knowledge base nor the hardware files cover the question."""
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415
    from tpuguru.report.answer.build import answer_report  # noqa: PLC0415
    from tpuguru.report.answer.text import render_answer  # noqa: PLC0415

    question = " ".join(arguments.question)
    if question == "-":
        question = sys.stdin.read()
    report = answer_report(open_knowledge().answer(question, arguments.language))
    if arguments.format == "json":
        import msgspec  # noqa: PLC0415

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n")
    else:
        sys.stdout.write(render_answer(report, markdown=arguments.format == "markdown"))
    return ExitCode.CLEAN if report.covered or report.slices else ExitCode.NOTHING_TO_CHECK

"""tpuguru kb: check, search and show the knowledge base, and hold a figure against published ones."""

import argparse
import sys
from typing import TYPE_CHECKING

from tpuguru.base.exit_codes import ExitCode

if TYPE_CHECKING:
    from tpuguru.report.contracts.answer import ClaimList

SUMMARY = "check, search and show the knowledge base; hold a quoted figure against published ones"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the subcommands and their arguments."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("check", help="sources, levels, ids, citations, supersession, routes, figures")
    actions.add_parser("pages", help="list the pages")
    search = actions.add_parser("search", help="claims for words or a question")
    search.add_argument("words", nargs="+")
    search.add_argument("--limit", type=int, default=5, help="how many claims (default 5)")
    show = actions.add_parser("show", help="one claim")
    show.add_argument("claim", help="a claim's id")
    for action in (search, show):
        action.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    _configure_figure(
        actions.add_parser("figure", help="a quoted figure against published ones and the peak")
    )


def _configure_figure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("model", help="for example llama3.1-70b")
    parser.add_argument("hardware", help="a chip or slice, for example v6e-256 or tpu7x")
    parser.add_argument("value", type=float)
    parser.add_argument("unit", choices=("TFLOP/s", "tok/s", "MFU"))
    parser.add_argument("--per", choices=("device", "chip"), default="", help="what the figure is per")
    parser.add_argument("--precision", choices=("bf16", "fp8", "int8"), default="bf16")


def run(arguments: argparse.Namespace) -> int:
    """Run the chosen action."""
    actions = {"check": _check, "pages": _pages, "search": _search, "show": _show, "figure": _figure}
    return actions[arguments.action](arguments)


def _check(_: argparse.Namespace) -> int:
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415
    from tpuguru.knowledge.check import check_knowledge  # noqa: PLC0415
    from tpuguru.report.answer.figure import render_check  # noqa: PLC0415

    report = check_knowledge(open_knowledge())
    sys.stdout.write(render_check(report))
    return ExitCode.FINDINGS if report.problems else ExitCode.CLEAN


def _pages(_: argparse.Namespace) -> int:
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415

    for page in open_knowledge().pages:
        print(f"{page.id}: {page.title}. {page.summary}")
    return ExitCode.CLEAN


def _search(arguments: argparse.Namespace) -> int:
    from tpuguru.base.errors import UsageError  # noqa: PLC0415
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415
    from tpuguru.report.answer.build import claim_list  # noqa: PLC0415

    if not 1 <= arguments.limit <= 100:
        raise UsageError(f"--limit {arguments.limit} is not between 1 and 100")
    query = " ".join(arguments.words)
    found = claim_list(query, open_knowledge().search(query, arguments.limit))
    _print(found, arguments.format)
    if not found.claims:
        print("no claim matches; the words may be outside what is covered", file=sys.stderr)
        return ExitCode.NOTHING_TO_CHECK
    return ExitCode.CLEAN


def _show(arguments: argparse.Namespace) -> int:
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415
    from tpuguru.report.answer.build import shown_claim  # noqa: PLC0415

    _print(shown_claim(open_knowledge().claim(arguments.claim)), arguments.format)
    return ExitCode.CLEAN


def _figure(arguments: argparse.Namespace) -> int:
    from tpuguru.knowledge import open_knowledge  # noqa: PLC0415
    from tpuguru.knowledge.baselines import FigureVerdict  # noqa: PLC0415
    from tpuguru.report.answer.figure import render_figure  # noqa: PLC0415

    check = open_knowledge().check_figure(
        arguments.model,
        arguments.hardware,
        arguments.value,
        arguments.unit,
        per=arguments.per,
        number_format=arguments.precision,
    )
    sys.stdout.write(render_figure(check))
    suspect = check.verdict in (FigureVerdict.IMPOSSIBLE, FigureVerdict.ABOVE)
    return ExitCode.FINDINGS if suspect else ExitCode.CLEAN


def _print(report: "ClaimList", form: str) -> None:
    if form == "json":
        import msgspec  # noqa: PLC0415

        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n")
        return
    from tpuguru.report.answer.text import render_claims  # noqa: PLC0415

    sys.stdout.write(render_claims(report, markdown=form == "markdown"))

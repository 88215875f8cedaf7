"""Judge a launch by the rules, from its text alone: nothing is run, nothing is changed."""

import argparse
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tpuguru.report.lint.command import LintOptions

SUMMARY = "judge a launch by the rules, from its text alone (under a second)"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "paste", nargs="+", help="script, command, YAML or launch JSON; - reads standard input"
    )
    parser.add_argument(
        "--slice", default="", metavar="NAME", help="judge for this slice: v6e-256, tpu7x:4x4x4"
    )
    parser.add_argument("--gpu", default="", metavar="NAME", help="judge for this GPU: H20, H100, …")
    parser.add_argument("--select", action="append", default=[], metavar="RULES", help=_PATTERNS)
    parser.add_argument("--ignore", action="append", default=[], metavar="RULES", help="leave these out")
    parser.add_argument("--min-severity", default="", metavar="SEVERITY", help="report from here: info …")
    parser.add_argument(
        "--fail-on", default="", metavar="SEVERITY", help="exit 1 from here (default critical; or never)"
    )
    parser.add_argument("--exit-zero", action="store_true", help="exit 0 whatever is found")
    parser.add_argument("--baseline", default="", metavar="FILE", help="findings in it do not count")
    parser.add_argument("--write-baseline", default="", metavar="FILE", help="accept what is found now")
    parser.add_argument(
        "--output-format",
        action="append",
        default=[],
        metavar="FORMAT[=FILE]",
        help="text, concise, json, sarif, github, markdown; may be repeated",
    )
    parser.add_argument("--show-suppressed", action="store_true", help="show findings that do not count too")
    parser.add_argument("--explain", default="", metavar="RULE", help="say why a rule fires or does not")
    parser.add_argument("--no-config", action="store_true", help="read no configuration file")
    parser.add_argument("--show-settings", action="store_true", help="print the settings in force and stop")
    parser.add_argument("--stdin-filename", default="", metavar="NAME", help="name of what - reads")


_PATTERNS = "only these, comma-separated: name, id, start of an id (R-P), category"


def run(arguments: argparse.Namespace) -> int:
    """Lint, write every output, and return the exit code."""
    from tpuguru.report.lint.command import lint_command  # noqa: PLC0415

    return lint_command(options(arguments))


def options(arguments: argparse.Namespace) -> "LintOptions":
    """Return the command line as the linter takes it."""
    from tpuguru.report.lint.command import LintOptions  # noqa: PLC0415

    if arguments.gpu:
        from tpuguru.hardware.chips import chip  # noqa: PLC0415

        chip(arguments.gpu)  # a name that nobody knows must not be ignored, whatever framework is launched
    return LintOptions(
        pastes=tuple(arguments.paste),
        hardware=tuple((key, name) for key in ("slice", "gpu") if (name := getattr(arguments, key))),
        select=_split(arguments.select),
        ignore=_split(arguments.ignore),
        min_severity=arguments.min_severity,
        fail_on=arguments.fail_on,
        exit_zero=arguments.exit_zero,
        baseline=arguments.baseline,
        write_baseline=arguments.write_baseline,
        output_formats=tuple(arguments.output_format),
        show_suppressed=arguments.show_suppressed,
        explain=arguments.explain,
        no_config=arguments.no_config,
        show_settings=arguments.show_settings,
        stdin_filename=arguments.stdin_filename,
    )


def _split(words: list[str]) -> tuple[str, ...]:
    return tuple(part.strip() for word in words for part in word.split(",") if part.strip())

"""Show every setting of a launch with its value and where the value comes from."""

import argparse

SUMMARY = "show the value of every setting of a launch and where it comes from"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "paste", nargs="?", help="script, command, YAML or launch JSON; - reads standard input"
    )
    parser.add_argument("--slice", default="", metavar="NAME", help="slice, for --toolchain")
    parser.add_argument(
        "--toolchain",
        default="",
        metavar="SPEC",
        help="let the framework itself resolve, e.g. maxtext==0.2.5",
    )
    parser.add_argument("--all", action="store_true", help="also what the launch does not set")
    parser.add_argument("--models", action="store_true", help="list the model names that MaxText knows")
    parser.add_argument("--output-format", choices=("text", "json", "markdown"), default="text")


def run(arguments: argparse.Namespace) -> int:
    """Resolve and print."""
    from tpuguru.base.errors import UsageError  # noqa: PLC0415

    if arguments.models:
        return _print_models()
    if arguments.paste is None:
        raise UsageError("name what to resolve", help="tpuguru resolve run.sh, or tpuguru resolve --models")
    return _resolve(arguments)


def _print_models() -> int:
    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415
    from tpuguru.frameworks.maxtext.defaults import defaults  # noqa: PLC0415

    print("\n".join(str(name) for name in defaults().keys["model_name"].choices))
    return ExitCode.CLEAN


def _resolve(arguments: argparse.Namespace) -> int:
    import sys  # noqa: PLC0415

    import msgspec  # noqa: PLC0415

    from tpuguru.base.exit_codes import ExitCode  # noqa: PLC0415
    from tpuguru.launch.reader import read_paste_file  # noqa: PLC0415
    from tpuguru.report.rendering.markdown import markdown_text  # noqa: PLC0415
    from tpuguru.report.rendering.terminal import print_document  # noqa: PLC0415
    from tpuguru.report.resolve.document import resolve_document  # noqa: PLC0415
    from tpuguru.report.resolve.run import ResolveOptions, resolve_paste  # noqa: PLC0415

    options = ResolveOptions(arguments.slice, arguments.toolchain, everything=arguments.all)
    report = resolve_paste(read_paste_file(arguments.paste), options)
    if arguments.output_format == "json":
        print(msgspec.json.format(msgspec.json.encode(report), indent=1).decode())
    elif arguments.output_format == "markdown":
        print(markdown_text(resolve_document(report)), end="")
    else:
        print_document(resolve_document(report), sys.stdout)
    refused = any(finding.severity == "critical" for finding in report.findings)
    return ExitCode.FINDINGS if refused else ExitCode.CLEAN

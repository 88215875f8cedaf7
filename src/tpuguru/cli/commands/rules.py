"""List the rules, start a new one, check what an author wrote."""

import argparse

SUMMARY = "list the rules; `rules new NAME` starts one, `rules check` tests them, `rules confirm` accepts one"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="list the rules (default)")
    listing.add_argument("--output-format", choices=("text", "json"), default="text")
    new = actions.add_parser("new", help="write a new rule file to fill in")
    new.add_argument("name", help="kebab-case, names the bad pattern")
    new.add_argument("--framework", default="maxtext", help="maxtext, relax, … or any")
    new.add_argument("--folder", default="", help="default: .tpuguru/rules of the current folder")
    check = actions.add_parser("check", help="load rules, run their examples, break each `when`")
    check.add_argument("path", nargs="*", help="rule files or folders (default: every rule in force)")
    confirm = actions.add_parser("confirm", help="show a proposed rule, check it, and take it into a library")
    confirm.add_argument("path", help="a file that `tpuguru propose` wrote")
    confirm.add_argument(
        "--library", default="", help="default: the project's .tpuguru/rules, else the user's"
    )
    confirm.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace) -> int:
    """Do what was asked."""
    if arguments.action == "new":
        return _new(arguments)
    if arguments.action == "check":
        return _check(arguments.path)
    if arguments.action == "confirm":
        return _confirm(arguments)
    return _list(getattr(arguments, "output_format", "text"))


def _list(output_format: str) -> int:
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.report.rules.page import list_text  # noqa: PLC0415
    from tpuguru.rules.catalog import find_project, load_catalog  # noqa: PLC0415

    catalog = load_catalog(find_project(Path.cwd()))
    if output_format == "json":
        from tpuguru.report.rules.document import catalog_json  # noqa: PLC0415

        print(catalog_json(catalog), end="")
    else:
        print(list_text(catalog), end="")
    return 0


def _new(arguments: argparse.Namespace) -> int:
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.rules.catalog import PROJECT_FOLDER, find_project, load_catalog  # noqa: PLC0415
    from tpuguru.rules.scaffold import scaffold  # noqa: PLC0415

    folder = Path(arguments.folder) if arguments.folder else PROJECT_FOLDER
    path = scaffold(arguments.name, folder, arguments.framework, load_catalog(find_project(Path.cwd())))
    print(f"{path}: fill it in, then `tpuguru rules check {path}`")
    return 0


def _check(words: list[str]) -> int:
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.report.rules.checking import catalog_of, check_catalog  # noqa: PLC0415
    from tpuguru.rules.catalog import find_project, load_catalog  # noqa: PLC0415

    catalog = catalog_of([Path(word) for word in words]) if words else load_catalog(find_project(Path.cwd()))
    faulty = 0
    for result in check_catalog(catalog):
        faulty += not result.clean
        for failure in result.failing:
            print(f"error: {failure}")
        for mutant in result.surviving:
            print(f"error: {result.rule.path}: no example notices when `when` is broken: {mutant}")
    print(f"{len(catalog)} rules, {faulty} with faults")
    return 1 if faulty else 0


def _confirm(arguments: argparse.Namespace) -> int:
    from pathlib import Path  # noqa: PLC0415

    from tpuguru.base.locations import config_directory  # noqa: PLC0415
    from tpuguru.report.proposals.confirm import accept, review  # noqa: PLC0415
    from tpuguru.rules.catalog import PROJECT_FOLDER, find_project  # noqa: PLC0415

    path = Path(arguments.path)
    project = find_project(Path.cwd())
    seen = review(path, project)
    print(path.read_text(encoding="utf-8"))
    for failure in (*seen.check.failing, *seen.check.surviving):
        print(f"error: {failure}")
    for name in seen.fires_on:
        print(f"error: it fires where {name} says that nothing is wrong")
    for name in seen.also_fire:
        print(f"note: {name} fires on its example as well")
    if not seen.acceptable:
        return 1
    library = Path(arguments.library) if arguments.library else config_directory() / "rules"
    if project is not None and not arguments.library:
        library = project / PROJECT_FOLDER
    if not arguments.yes and not _agreed(f"take {seen.rule.name} into {library}? [y/N] "):
        print("left where it is")
        return 0
    print(f"{accept(path, library)}: in force from the next command")
    return 0


def _agreed(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        return False

"""The door of this room: a pasted text in, its commands and settings out. Nothing is executed, ever."""

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.launch.comments import shell_comments
from tpuguru.launch.compiler_flags import group_texts
from tpuguru.launch.context import Context, Files
from tpuguru.launch.model import Command, Note, Paste
from tpuguru.launch.source import EmbeddedSource, Source
from tpuguru.launch.text_input import clean, decode, read_bytes

STDIN = "<stdin>"
COMMAND = "<command>"
_YAML_ENDINGS = (".yml", ".yaml")
_YAML_KEY = re.compile(r"(?:- )?[\"']?[A-Za-z_][\w./-]*[\"']?:(?:\s|$)")


def read_paste_file(path: str, *, given: Mapping[str, str] | None = None) -> Paste:
    """Read a file, or stdin for ``-``. UsageError when it is missing, too large or no text."""
    data = read_bytes(path)
    if path == "-":
        return read_paste(data, STDIN, folder=Path.cwd(), given=given)
    place = Path(path).absolute().parent
    return _read(data, path, Files.around(place, Path.cwd()), given or {})


def read_paste(
    text: str | bytes,
    path: str = STDIN,
    *,
    folder: Path | None = None,
    given: Mapping[str, str] | None = None,
) -> Paste:
    """Read a paste.

    ``folder`` is where the files it names are looked for (never outside that folder's project); none are
    opened without it. ``given`` are values for variables that the paste takes from its environment; what they
    reach is marked as filled in. UsageError when the text is too large, binary, or broken YAML or JSON.
    """
    return _read(text, path, Files.around(folder), given or {})


def _read(data: str | bytes, path: str, files: Files, given: Mapping[str, str]) -> Paste:
    from tpuguru.launch.json_reader import is_launch_document, read_launch_document  # noqa: PLC0415

    notes: tuple[Note, ...] = ()
    if isinstance(data, bytes):
        text, damaged = decode(data, path)
        if damaged:
            notes = (Note("invalid-encoding", "some bytes are not valid UTF-8; they read as \ufffd"),)
    else:
        text = clean(data)
    if "\0" in text:
        raise UsageError(
            f"{path} is binary, not text: it holds NUL characters", help="give the launch as text"
        )
    if is_launch_document(text):
        return read_launch_document(text, path)
    source = Source(path, text)
    paste = (
        _read_yaml(source, files, given) if looks_like_yaml(text, path) else _read_shell(source, files, given)
    )
    return replace(paste, notes=notes + paste.notes)


def looks_like_yaml(text: str, path: str) -> bool:
    """Tell whether the text is YAML: by the file's name, or by lines that are keys, not commands."""
    if path.endswith(_YAML_ENDINGS):
        return True
    if path.endswith((".sh", ".bash")) or text.startswith("#!"):
        return False
    lines = [line.strip() for line in text.split("\n", 400)[:400]]
    lines = [line for line in lines if line and line[0] != "#"]
    if not lines:
        return False
    if lines[0] == "---" or lines[0].startswith("apiVersion:"):
        return True
    keys = sum(1 for line in lines if _YAML_KEY.match(line))
    return bool(_YAML_KEY.match(lines[0])) and keys * 2 > len(lines)


def _context(files: Files, given: Mapping[str, str], forced: Mapping[str, str] | None = None) -> Context:
    return Context(files=files, given=given, forced=forced or {}, groups=group_texts())


def _read_yaml(source: Source, files: Files, given: Mapping[str, str]) -> Paste:
    from tpuguru.launch.config_file import read_config, yaml_comments  # noqa: PLC0415 - YAML only when there is some
    from tpuguru.launch.kubernetes import is_manifest, read_documents  # noqa: PLC0415
    from tpuguru.launch.yaml_tree import parse_yaml  # noqa: PLC0415

    documents = parse_yaml(source)
    comments = tuple(yaml_comments(source, documents))
    context = _context(files, given)
    if is_manifest(documents):
        read_documents(context, documents)
        kind, commands = "kubernetes", tuple(context.commands)
    else:
        kind = "yaml"
        commands = tuple(read_config(document) for document in documents if document.kind == "mapping")
    return Paste(source.path, source.text, kind, commands, comments, tuple(context.notes))


def _read_shell(source: Source, files: Files, given: Mapping[str, str]) -> Paste:
    from tpuguru.launch.shell.grammar import LONGEST_READING  # noqa: PLC0415
    from tpuguru.launch.shell.variants import read_variants  # noqa: PLC0415 - the grammar only for scripts

    deadline = time.monotonic() + LONGEST_READING
    context, commands = read_variants(
        source, lambda forced: replace(_context(files, given, forced), deadline=deadline)
    )
    comments = [comment for read in _unique(context.sources) for comment in shell_comments(read)]
    kind = "shell" if "\n" in source.text.strip() else "command"
    return Paste(source.path, source.text, kind, tuple(commands), tuple(comments), tuple(context.notes))


def _unique(sources: Iterable[Source]) -> list[Source]:
    return list(
        {source.path: source for source in sources if not isinstance(source, EmbeddedSource)}.values()
    )


__all__ = ["COMMAND", "STDIN", "Command", "looks_like_yaml", "read_paste", "read_paste_file"]

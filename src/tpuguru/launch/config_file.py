"""A configuration file pasted on its own: its keys as settings, each with its place."""

from collections.abc import Iterator

from tpuguru.base.location import Location
from tpuguru.launch.arguments import mark_overridden
from tpuguru.launch.model import Command, Comment, Setting, SettingSource
from tpuguru.launch.source import Source
from tpuguru.launch.yaml_tree import YamlNode


def read_config(document: YamlNode, wrapper: str = "") -> Command:
    """Return a command without words whose settings are the top-level keys of a mapping."""
    return Command(
        words=(),
        location=document.location(),
        wrappers=(wrapper,) if wrapper else (),
        settings=tuple(settings_of(document)),
    )


def settings_of(document: YamlNode) -> Iterator[Setting]:
    """Yield the top-level keys of a mapping; a later duplicate overrides an earlier one."""
    settings = [_setting(key, value) for key, value in document.pairs]
    yield from mark_overridden(settings)


def _setting(key: YamlNode, value: YamlNode) -> Setting:
    return Setting(
        key=key.text,
        text=value.text if value.kind == "scalar" else _flow(value),
        source=SettingSource.FILE,
        location=key.source.location(key.start, max(value.end, key.end)),
        raw=f"{key.text}: {value.text}" if value.kind == "scalar" else key.text,
        value_location=value.location(),
        trace=value.traced() if value.kind == "scalar" else None,
    )


def _flow(node: YamlNode) -> str:
    """Return a list or mapping as it is written, on one line."""
    return " ".join(node.source.text[node.start : node.end].split())


def yaml_comments(source: Source, documents: list[YamlNode]) -> list[Comment]:
    """Return the comments of a YAML text with the lines they govern."""
    from tpuguru.launch.comments import placed_comment  # noqa: PLC0415
    from tpuguru.launch.yaml_tree import walk  # noqa: PLC0415

    inside = set[int]()
    for document in documents:
        for node in walk(document):
            for scalar in (node, *(key for key, _ in node.pairs)):
                if scalar.kind == "scalar":
                    first, last = scalar.location(), source.position(max(scalar.end - 1, scalar.start))[0]
                    inside.update(range(first.line + 1, last + 1))
    found = []
    offset = 0
    for number, line in enumerate(source.text.split("\n"), start=1):
        at = _comment_start(line)
        if at >= 0 and number not in inside:
            place = Location(source.path, number, at + 1, number, len(line) + 1)
            found.append(placed_comment(source, line[at:], place))
        offset += len(line) + 1
    return found


def _comment_start(line: str) -> int:
    quote = ""
    for index, character in enumerate(line):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character == "#" and (index == 0 or line[index - 1].isspace()):
            return index
    return -1

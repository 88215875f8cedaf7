"""YAML as a tree that knows where each character stands; built from events, without recursion."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tpuguru.base.errors import UsageError
from tpuguru.base.location import Location
from tpuguru.launch.source import Piece, Source, Traced

_DEEPEST = 100
_MOST_NODES = 100_000


@dataclass(slots=True)
class YamlNode:
    """A scalar (``text``), a mapping (``pairs``) or a sequence (``items``)."""

    kind: str
    source: Source
    start: int
    end: int
    text: str = ""
    plain: bool = True  # written without quotes, so that true, null and numbers mean themselves
    pairs: list[tuple["YamlNode", "YamlNode"]] = field(default_factory=list)
    items: list["YamlNode"] = field(default_factory=list)

    def get(self, *path: str) -> "YamlNode | None":
        """Return the value under a path of keys, or None."""
        node: YamlNode | None = self
        for name in path:
            node = (
                next((value for key, value in reversed(node.pairs) if key.text == name), None)
                if node
                else None
            )
        return node

    def scalar(self, *path: str) -> str:
        """Return the text under a path of keys, or an empty one."""
        node = self.get(*path)
        return node.text if node is not None and node.kind == "scalar" else ""

    def location(self) -> Location:
        """Return where the node is written."""
        return self.source.location(self.start, self.end)

    def traced(self) -> Traced:
        """Return a scalar's text with the place of each character, through quotes and block indentation."""
        if self.kind != "scalar":
            return Traced()
        pieces = tuple(_aligned(self))
        return Traced(pieces, site=self.location(), raw=self.source.text[self.start : self.end].strip())


def _aligned(node: YamlNode) -> Iterator[Piece]:
    """Yield runs of the text that stand in the source as they are; the rest is tied to the scalar."""
    text, source, position = node.text, node.source.text, node.start
    if position < node.end and source[position] in "|>":
        position = source.find("\n", position, node.end) + 1 or node.end
    run_start, run_at = 0, -1
    for index, character in enumerate(text):
        found = _find(source, position, node.end, character)
        if found != position or run_at < 0:
            if run_at >= 0:
                yield Piece(text[run_start:index], node.source, run_at, run_at + index - run_start)
            run_start, run_at = index, found
        if found < 0:
            yield Piece(text[index:], node.source, node.start, node.end, verbatim=False)
            return
        position = found + 1
    if run_at >= 0:
        yield Piece(text[run_start:], node.source, run_at, run_at + len(text) - run_start)


def _find(source: str, position: int, end: int, character: str) -> int:
    """Return where the next character stands: past indentation, quotes, escapes and line folds."""
    if position < end and source[position] == character:
        return position
    folded = "\n" if character == " " else character
    limit = min(end, position + 4096)
    for at in range(position, limit):
        if source[at] in (character, folded):
            return at
        if not (source[at].isspace() or source[at] in "'\"\\"):
            return -1
    return -1


def parse_yaml(source: Source) -> list[YamlNode]:
    """Return the documents of a YAML text. UsageError, with the place, when it is not YAML or too deep."""
    import yaml  # noqa: PLC0415 - only when YAML is read

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    builder = _Builder(source)
    try:
        for event in yaml.parse(source.text, Loader=loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Location(source.path, mark.line + 1, mark.column + 1) if mark else None
        raise UsageError(f"this is not valid YAML: {error.problem or error}", location=place) from None
    except (yaml.YAMLError, RecursionError) as error:
        raise UsageError(f"{source.path} is not valid YAML: {str(error).splitlines()[0]}") from None
    return builder.documents


class _Builder:
    """Collects events into nodes with an explicit stack."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.documents: list[YamlNode] = []
        self.stack: list[YamlNode] = []
        self.keys: list[YamlNode | None] = []
        self.anchors: dict[str, YamlNode] = {}
        self.count = 0

    def take(self, event: object) -> None:
        name = type(event).__name__
        if name == "ScalarEvent":
            self._add(self._scalar(event))
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            self._open(event, "mapping" if name[0] == "M" else "sequence")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            node = self.stack.pop()
            self.keys.pop()
            node.end = event.end_mark.index  # type: ignore[attr-defined]
        elif name == "AliasEvent":
            anchor = str(event.anchor)  # type: ignore[attr-defined]
            self._add(self.anchors.get(anchor) or self._scalar(event))

    def _scalar(self, event: object) -> YamlNode:
        start, end = event.start_mark.index, event.end_mark.index  # type: ignore[attr-defined]
        node = YamlNode("scalar", self.source, start, end, str(getattr(event, "value", "")))
        node.plain = getattr(event, "style", None) in (None, "")
        self._remember(event, node)
        return node

    def _open(self, event: object, kind: str) -> None:
        node = YamlNode(kind, self.source, event.start_mark.index, event.end_mark.index)  # type: ignore[attr-defined]
        self._remember(event, node)
        self._add(node)
        self.stack.append(node)
        self.keys.append(None)
        if len(self.stack) > _DEEPEST:
            raise UsageError(
                f"this YAML is nested deeper than {_DEEPEST} levels",
                location=self.source.location(node.start, node.start),
            )

    def _remember(self, event: object, node: YamlNode) -> None:
        anchor = getattr(event, "anchor", None)
        if anchor:
            self.anchors[str(anchor)] = node

    def _add(self, node: YamlNode) -> None:
        self.count += 1
        if self.count > _MOST_NODES:
            raise UsageError(
                f"{self.source.path} has more than {_MOST_NODES} YAML nodes: too large to be a launch"
            )
        if not self.stack:
            self.documents.append(node)
        elif self.stack[-1].kind == "sequence":
            self.stack[-1].items.append(node)
        elif self.keys[-1] is None:
            self.keys[-1] = node
        else:
            self.stack[-1].pairs.append((self.keys[-1], node))
            self.keys[-1] = None


def walk(node: YamlNode) -> Iterator[YamlNode]:
    """Yield a node and everything under it; a node reached through several aliases comes once."""
    pending, seen = [node], set[int]()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        pending.extend(reversed(current.items))
        pending.extend(value for _, value in reversed(current.pairs))

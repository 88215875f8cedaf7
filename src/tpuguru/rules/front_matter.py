"""The front matter of a rule file: YAML with the place of every value kept."""

from enum import StrEnum
from pathlib import Path

import yaml

from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.finding import Category, Level, Severity, Source
from tpuguru.rules.model import Piece, Rule, Status
from tpuguru.rules.problems import Problem, RuleFileError

_REQUIRED = ("id", "name", "title", "category", "severity", "level", "applies_to", "when", "sources", "since")
_OPTIONAL = ("borderline", "unless", "message", "anchor", "replace", "order", "never_with", "status")
_DEFAULT_ORDER = 50


class FrontMatter:
    """The values of one front matter, read key by key; faults are collected and raised together."""

    def __init__(self, text: str, path: Path, provenance: str) -> None:
        """Parse ``text``, which starts on the file's second line. RuleFileError when it is not a mapping."""
        self._lines = text.split("\n")
        self._path = path
        self._provenance = provenance
        self._problems: list[Problem] = []
        self._nodes = self._parse(text)

    def rule(self) -> Rule:
        """Return the rule. RuleFileError with every fault."""
        self._check_keys()
        rule = Rule(
            id=self._text("id"),
            name=self._text("name"),
            title=self._text("title"),
            category=self._member("category", Category),
            severity=self._member("severity", Severity),
            level=self._member("level", Level),
            applies_to=self._texts("applies_to"),
            when=self._piece("when") or Piece(""),
            borderline=self._piece("borderline"),
            unless=self._piece("unless"),
            message=self._text("message"),
            anchors=self._texts("anchor"),
            replace=self._text("replace"),
            order=self._integer("order", _DEFAULT_ORDER),
            never_with=self._texts("never_with"),
            sources=self._sources(),
            since=self._text("since"),
            status=self._member("status", Status, Status.STABLE),
            path=self._path,
            provenance=self._provenance,
        )
        self._check_identity(rule)
        if self._problems:
            raise RuleFileError(self._problems)
        return rule

    def _parse(self, text: str) -> dict[str, yaml.Node]:
        try:
            root = yaml.compose(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        except yaml.MarkedYAMLError as error:
            line = (error.problem_mark.line if error.problem_mark else 0) + 2
            column = (error.problem_mark.column if error.problem_mark else 0) + 1
            message = f"the front matter is not YAML: {error.problem or error}"
            hint = "quote a text that holds `: `; an expression is safest as a block: `when: |`, then lines"
            raise RuleFileError([Problem(self._path, message, line, column, 1, hint)]) from None
        except (yaml.YAMLError, RecursionError, ValueError) as error:
            raise RuleFileError([Problem(self._path, f"the front matter is not YAML: {error}")]) from None
        if not isinstance(root, yaml.MappingNode):
            raise RuleFileError([Problem(self._path, "the front matter is not a list of `key: value`", 2)])
        nodes: dict[str, yaml.Node] = {}
        for key, value in root.value:
            if str(key.value) in nodes:
                self._fault(key, f"{key.value} is written twice")
            nodes[str(key.value)] = value
        return nodes

    def _fault(self, node: yaml.Node | None, message: str, hint: str = "") -> None:
        if node is None:
            self._problems.append(Problem(self._path, message, 1, 1, 0, hint))
            return
        mark, end = node.start_mark, node.end_mark
        width = end.column - mark.column if end.line == mark.line else 1
        self._problems.append(
            Problem(self._path, message, mark.line + 2, mark.column + 1, max(width, 1), hint)
        )

    def _check_keys(self) -> None:
        known = (*_REQUIRED, *_OPTIONAL)
        for key, node in self._nodes.items():
            if key not in known:
                near = did_you_mean(key, known)
                hint = f"did you mean {near[0]}?" if near else f"keys: {', '.join(known)}"
                self._fault(node, f"unknown key {key}", hint)
        for key in _REQUIRED:
            if key not in self._nodes:
                self._fault(None, f"the key {key} is missing")

    def _check_identity(self, rule: Rule) -> None:
        if rule.id and not _is_identifier(rule.id):
            self._fault(self._nodes.get("id"), f"id {rule.id} is not of the form R-T12")
        if rule.name and not _is_kebab(rule.name):
            self._fault(self._nodes.get("name"), f"name {rule.name} is not kebab-case")
        elif rule.name and rule.name != self._path.stem:
            self._fault(
                self._nodes.get("name"), f"the file is called {self._path.stem}.md, the rule {rule.name}"
            )
        if "sources" in self._nodes and not rule.sources:
            self._fault(self._nodes["sources"], "a rule names at least one source")

    def _scalar(self, key: str) -> str | None:
        node = self._nodes.get(key)
        if node is None:
            return None
        if not isinstance(node, yaml.ScalarNode):
            self._fault(node, f"{key} must be a text")
            return None
        return str(node.value)

    def _text(self, key: str) -> str:
        return (self._scalar(key) or "").strip()

    def _integer(self, key: str, default: int) -> int:
        text = self._scalar(key)
        if text is None:
            return default
        if not text.strip().removeprefix("-").isdigit():
            self._fault(self._nodes[key], f"{key} must be a whole number")
            return default
        return int(text)

    def _member[T: StrEnum](self, key: str, enumeration: type[T], default: T | None = None) -> T:
        members = list(enumeration)
        text = self._text(key)
        if not text:
            return default or members[0]
        if text in [member.value for member in members]:
            return enumeration(text)
        near = did_you_mean(text, [member.value for member in members])
        hint = f"did you mean {near[0]}?" if near else f"one of: {', '.join(members)}"
        self._fault(self._nodes[key], f"{text} is not a {key}", hint)
        return members[0]

    def _texts(self, key: str) -> tuple[str, ...]:
        node = self._nodes.get(key)
        if node is None:
            return ()
        items: list[yaml.Node] = node.value if isinstance(node, yaml.SequenceNode) else [node]
        texts = []
        for item in items:
            if isinstance(item, yaml.ScalarNode) and str(item.value).strip():
                texts.append(str(item.value).strip())
            else:
                self._fault(item, f"{key} must be a text or a list of texts")
        return tuple(texts)

    def _sources(self) -> tuple[Source, ...]:
        node = self._nodes.get("sources")
        if node is None or not isinstance(node, yaml.SequenceNode):
            if node is not None:
                self._fault(node, "sources must be a list")
            return ()
        return tuple(source for item in node.value if (source := self._source(item)))

    def _source(self, node: yaml.Node) -> Source | None:
        values = (
            {str(key.value): str(value.value) for key, value in node.value}
            if isinstance(node, yaml.MappingNode)
            else {}
        )
        unknown = set(values) - {"title", "url", "date"}
        citable = values.get("url", "").startswith(("https://", "urn:sha256:"))
        if not values.get("title") or not citable or unknown:
            self._fault(node, "a source is {title: …, url: https://… or urn:sha256:…, date: YYYY-MM-DD}")
            return None
        return Source(values["title"], values["url"], values.get("date", ""))

    def _piece(self, key: str) -> Piece | None:
        """Return an expression with its place. Block, quoted and plain scalars start at different places."""
        node = self._nodes.get(key)
        text = self._scalar(key)
        if node is None or text is None or not isinstance(node, yaml.ScalarNode):
            return None
        if not text.strip():
            self._fault(node, f"{key} is empty")
            return None
        line, column = node.start_mark.line, node.start_mark.column
        if node.style == ">":
            self._fault(node, f"{key} is folded with `>`, which loses its lines", "write `|`")
        if node.style in ("|", ">"):
            return self._block(text, line + 1)
        start = column + (1 if node.style in ("'", '"') else 0)
        return Piece(text.strip(), line + 2, start + 1)

    def _block(self, text: str, first: int) -> Piece:
        while first < len(self._lines) - 1 and not self._lines[first].strip():
            first += 1
        content = self._lines[first]
        indent = len(content) - len(content.lstrip())
        return Piece(text.strip("\n").rstrip(), first + 2, indent + 1, indent)


def _is_identifier(text: str) -> bool:
    letters, digits = text.removeprefix("R-").rstrip("0123456789"), text[len(text.rstrip("0123456789")) :]
    return text.startswith("R-") and letters.isalpha() and letters.isupper() and 2 <= len(digits) <= 4


def _is_kebab(text: str) -> bool:
    parts = text.split("-")
    return (
        all(part.isalnum() and part == part.lower() and part.isascii() for part in parts) and len(text) <= 60
    )

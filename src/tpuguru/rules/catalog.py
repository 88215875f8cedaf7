"""All rules in force: the shipped tree, the user's, the repository's. One broken file stops the run."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.locations import config_directory, data_directory
from tpuguru.base.suggest import did_you_mean
from tpuguru.facts.schema import Vocabulary
from tpuguru.facts.vocabulary import vocabulary as declared_vocabulary
from tpuguru.rules.model import Rule
from tpuguru.rules.problems import Problem, RuleFileError, usage_error
from tpuguru.rules.store import RuleStore, stamp

PROJECT_FOLDER = Path(".tpuguru") / "rules"


class Catalog:
    """Rules by name and id, in a fixed order."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        """Index the rules, which must not share a name or an id."""
        self.rules = tuple(sorted(rules, key=lambda rule: (rule.id, rule.name)))
        self._by_key = {key: rule for rule in self.rules for key in (rule.name, rule.id)}

    def __contains__(self, key: object) -> bool:
        return key in self._by_key

    def __len__(self) -> int:
        return len(self.rules)

    def rule(self, key: str) -> Rule:
        """Return the rule of this name or id. UsageError with the nearest ones."""
        found = self._by_key.get(key) or self._by_key.get(key.upper())
        if found is not None:
            return found
        near = did_you_mean(key, self._by_key)
        hint = f"did you mean {' or '.join(near)}?" if near else "`tpuguru rules` lists them"
        raise UsageError(f"no rule is called {key}", help=hint)

    def of_framework(self, framework: str) -> Iterator[Rule]:
        """Yield the rules that are asked for launches of ``framework``."""
        for rule in self.rules:
            if framework in rule.applies_to or "any" in rule.applies_to:
                yield rule


def rule_roots(project: Path | None = None) -> list[tuple[str, Path]]:
    """Return the folders that rules are read from, with the name of each."""
    roots = [("shipped", data_directory("rules")), ("user", config_directory() / "rules")]
    if project is not None:
        roots.append(("project", project / PROJECT_FOLDER))
    return [(provenance, root) for provenance, root in roots if root.is_dir()]


def find_project(start: Path) -> Path | None:
    """Return the nearest folder at or above ``start`` that has rules of its own, or None."""
    for folder in (start, *start.parents):
        if (folder / PROJECT_FOLDER).is_dir():
            return folder
    return None


def load_catalog(project: Path | None = None, *, vocabulary: Vocabulary | None = None) -> Catalog:
    """Read every rule in force; files that did not change since they were checked come from the cache.

    Raises:
        UsageError: any rule file is broken, or two share a name or an id. Nothing is skipped silently.

    """
    return load_roots(rule_roots(project), vocabulary or declared_vocabulary())


def rule_files(root: Path) -> list[Path]:
    """Return the rule files under a folder, in order; a README explains and is no rule."""
    files = root.rglob("*.md") if root.is_dir() else [root]
    return sorted((path for path in files if path.name != "README.md"), key=str)


def load_roots(roots: list[tuple[str, Path]], vocabulary: Vocabulary) -> Catalog:
    """Read every rule under ``roots``. UsageError as :func:`load_catalog`."""
    store = RuleStore(tuple(root for _, root in roots), vocabulary)
    rules: list[Rule] = []
    problems: list[Problem] = []
    live: set[str] = set()
    for provenance, root in roots:
        for path in rule_files(root):
            live.add(str(path))
            try:
                rules.append(_read(path, provenance, store, vocabulary))
            except RuleFileError as error:
                problems += error.problems
    problems += _collisions(rules)
    if problems:
        raise usage_error(problems)
    store.save(live)
    return Catalog(rules)


def _read(path: Path, provenance: str, store: RuleStore, vocabulary: Vocabulary) -> Rule:
    try:
        mark = stamp(path)
    except OSError as error:
        raise RuleFileError([Problem(path, f"the file cannot be read: {error.strerror}")]) from None
    kept = store.get(path, mark)
    if kept is not None:
        return kept
    from tpuguru.rules.reading import read_rule_file  # noqa: PLC0415 - YAML and type checks only when changed

    rule = read_rule_file(path, vocabulary, provenance)
    store.put(path, mark, rule)
    return rule


def _collisions(rules: list[Rule]) -> Iterator[Problem]:
    seen: dict[str, Rule] = {}
    for rule in rules:
        for key in (rule.id, rule.name):
            first = seen.setdefault(key, rule)
            if first is not rule:
                yield Problem(rule.path, f"{key} is also the rule in {first.path}")
    names = {rule.name for rule in rules}
    for rule in rules:
        for other in rule.never_with:
            if other not in names:
                near = did_you_mean(other, names)
                yield Problem(
                    rule.path,
                    f"never_with names {other}, which is no rule",
                    hint=f"did you mean {near[0]}?" if near else "",
                )

"""The generated catalog page is up to date, and the guide's own example is a rule that works."""

import importlib.machinery
import importlib.util
import re
from pathlib import Path

from tpuguru.report.rules.checking import catalog_of, check_rule
from tpuguru.rules.language.functions import function_names

ROOT = Path(__file__).parents[2]


def test_the_catalog_page_is_what_the_rules_say() -> None:
    """A page edited by hand, or forgotten, would contradict the rules; run scripts/generate-docs."""
    loader = importlib.machinery.SourceFileLoader("generate_docs", str(ROOT / "scripts" / "generate-docs"))
    spec = importlib.util.spec_from_loader("generate_docs", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    for name, text in module.pages().items():
        assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text


def test_the_example_of_the_guide_is_a_rule_that_works(tmp_path: Path) -> None:
    """What authors copy must load, and its examples must hold it."""
    guide = (ROOT / "docs" / "writing-rules.md").read_text(encoding="utf-8")
    example = re.search(r"````markdown\n(.*?)````", guide, re.DOTALL)
    assert example
    (tmp_path / "offload-under-full.md").write_text(example[1], encoding="utf-8")
    result = check_rule(catalog_of([tmp_path]).rules[0])
    assert result.clean


def test_the_guide_names_every_function() -> None:
    """A function that is not documented is not there for authors."""
    guide = (ROOT / "docs" / "writing-rules.md").read_text(encoding="utf-8")
    assert [name for name in function_names() if f"`{name}" not in guide] == []

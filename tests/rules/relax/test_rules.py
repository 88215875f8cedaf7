"""The Relax catalog as a whole: its size, its order, what it must never say."""

import re
from itertools import pairwise

import pytest
from tests.frameworks.relax.scripts import COLOCATE_8, launch_of, model_flags

from tpuguru.facts.finding import Verdict
from tpuguru.frameworks.relax.facts import derive
from tpuguru.frameworks.relax.recognise import nargs
from tpuguru.report.doctor.edits import edits_of
from tpuguru.rules.catalog import load_catalog
from tpuguru.rules.engine import evaluate
from tpuguru.rules.files import rule_page
from tpuguru.rules.model import Rule

RULES = [rule for rule in load_catalog().rules if "relax" in rule.applies_to]
PLAN = [
    ("zero-weight-reference",),
    ("experts-replicated", "idle-roles"),
    ("cpu-offload-not-needed",),
    ("full-recompute-not-needed",),
    ("pipeline-bubble", "pipeline-not-needed"),
    ("token-budget-far-below-memory",),
]


def test_the_catalog_covers_the_study() -> None:
    """All 30 performance and 28 memory rules of the study are there, and some more."""
    numbers = {rule.id for rule in RULES}
    assert {f"R-P{number:02}" for number in range(1, 31)} <= numbers
    assert {f"R-M{number:02}" for number in range(1, 29)} <= numbers


def test_fixes_are_proposed_in_the_order_of_the_study() -> None:
    """Each group of fixes comes after the one before it."""
    catalog = load_catalog()
    orders = [[catalog.rule(name).order for name in group] for group in PLAN]
    for earlier, later in pairwise(orders):
        assert max(earlier) < min(later)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_flags_in_fixes_exist(rule: Rule) -> None:
    """What a Fix takes away or puts is a flag that a parser of Relax reads."""
    text = re.sub(r"\{[^}]*\}", "1", rule_page(rule.path).fix.text)
    for edit in edits_of(text):
        assert edit.flag in nargs(), f"--{edit.flag}"


@pytest.mark.parametrize(
    ("flags", "mode"),
    [
        ("--optimizer adam", "no distributed optimizer flag, no bf16: Relax sets both"),
        ("--loss-type sft --use-dynamic-batch-size --max-tokens-per-gpu 4096", "SFT forces balanced data"),
        ("--moe-token-dispatcher-type allgather", "allgather is rewritten"),
    ],
)
def test_what_must_never_be_said(flags: str, mode: str) -> None:
    """Settings that Relax derives or forces by itself are nobody's omission."""
    facts = derive(launch_of(f"{COLOCATE_8} {flags} {model_flags('qwen3-4B')}"))
    said = " ".join(
        f"{finding.title} {finding.fix}"
        for finding in evaluate(load_catalog(), facts, [rule.name for rule in RULES]).findings
    )
    for word in ("use-distributed-optimizer", "--bf16", "offload-train", "allgather", "`--balance-data`"):
        assert word not in said or (word == "`--balance-data`" and "sft" not in flags), mode


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_nothing_fires_on_nothing(rule: Rule) -> None:
    """A launch of which nothing is known gives no finding but that something is missing."""
    outcome = evaluate(load_catalog(), derive(launch_of("--colocate")), [rule.name]).outcomes[0]
    assert outcome.verdict in (Verdict.NOT_APPLICABLE, Verdict.CANNOT_TELL)

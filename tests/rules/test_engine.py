"""Verdicts, evidence, places and texts of findings."""

from pathlib import Path

import pytest
from tests.rules.facts import VOCABULARY, facts
from tests.rules.rule_files import BODY, catalog, write_rule

from tpuguru.base.location import Location
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding, Severity, Verdict
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.rules.engine import Outcome, evaluate
from tpuguru.rules.explain import explain_outcome

BORDERLINE_EXAMPLE = "\n### Borderline: between\n\n```facts\njob.flag = False\n```\n"


def outcome(folder: Path, known: Facts) -> Outcome:
    """Judge by the one rule of a folder."""
    evaluation = evaluate(catalog(folder), known)
    assert len(evaluation.outcomes) == 1
    return evaluation.outcomes[0]


def finding(folder: Path, known: Facts) -> Finding:
    """Return the finding of the one rule, which must have one."""
    found = outcome(folder, known).finding
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("flag", "other", "verdict"),
    [
        (True, False, Verdict.APPLIES),
        (True, True, Verdict.NOT_APPLICABLE),
        (False, False, Verdict.NOT_APPLICABLE),
        (Unknown("?"), False, Verdict.CANNOT_TELL),
        (Unknown("?"), True, Verdict.NOT_APPLICABLE),
        (True, Unknown("?"), Verdict.CANNOT_TELL),
        (False, Unknown("?"), Verdict.NOT_APPLICABLE),
    ],
)
def test_when_and_unless_decide_together(
    tmp_path: Path, flag: bool | Unknown, other: bool | Unknown, verdict: Verdict
) -> None:
    """A rule fires when `when` is true and `unless` is false, in three values."""
    write_rule(tmp_path, when="job.flag", extra="unless: job.other\n")
    assert outcome(tmp_path, facts(job__flag=flag, job__other=other)).verdict is verdict


def test_borderline_is_information_that_says_what_would_tip_it(tmp_path: Path) -> None:
    """Close to a limit a reader wants to know how close."""
    write_rule(
        tmp_path,
        when="compiled.used > 0.9 * hw.hbm",
        extra="borderline: compiled.used > 0.8 * hw.hbm\n",
        body=BODY.format(cost="c", fix="f") + BORDERLINE_EXAMPLE,
    )
    near = finding(tmp_path, facts(compiled__used=85 * 2**30, hw__hbm=100 * 2**30))
    assert (near.verdict, near.severity) == (Verdict.BORDERLINE, Severity.INFO)
    assert near.message == (
        "It would apply if compiled.used > 0.9 * hw.hbm (now 85.00 GiB against 90.00 GiB)"
    )
    assert outcome(tmp_path, facts(compiled__used=1, hw__hbm=100)).verdict is Verdict.NOT_APPLICABLE


def test_cannot_tell_says_what_it_takes(tmp_path: Path) -> None:
    """«Unknown» without a way forward would be a shrug."""
    write_rule(tmp_path, when="job.flag and compiled.used > 1 * GiB")
    undecided = outcome(tmp_path, facts(job__flag=True))
    assert undecided.verdict is Verdict.CANNOT_TELL
    assert undecided.needs == ("compiled.used: a compile (tpuguru check)",)
    assert undecided.missing == ("compiled.used",)


def test_a_rule_whose_facts_were_never_set_is_undecided_at_once(tmp_path: Path) -> None:
    """The short way must give the same answer as evaluating."""
    write_rule(tmp_path, when="compiled.used > 1 * GiB or run.seconds > 1 * second")
    undecided = outcome(tmp_path, facts(job__flag=True))
    assert undecided.missing == ("compiled.used", "run.seconds")
    write_rule(tmp_path, when="not known(compiled.used)")
    assert outcome(tmp_path, facts()).verdict is Verdict.APPLIES


def test_rules_of_other_frameworks_are_not_asked(tmp_path: Path) -> None:
    """A rule about one framework's key says nothing about another's."""
    write_rule(tmp_path, framework="maxtext")
    assert evaluate(catalog(tmp_path), facts(job__flag=True, launch__framework="relax")).outcomes == ()
    assert len(evaluate(catalog(tmp_path), facts(job__flag=True, launch__framework="maxtext")).findings) == 1


def test_preview_is_information_and_deprecated_is_silent(tmp_path: Path) -> None:
    """A new rule may not fail anybody's run; an old one only answers by name."""
    write_rule(tmp_path, extra="status: preview\n")
    assert finding(tmp_path, facts(job__flag=True)).severity is Severity.INFO
    write_rule(tmp_path, extra="status: deprecated\n")
    loaded = catalog(tmp_path)
    assert evaluate(loaded, facts(job__flag=True)).outcomes == ()
    assert len(evaluate(loaded, facts(job__flag=True), ["some-rule"]).findings) == 1


def place(line: int) -> Location:
    """Return a place in a script."""
    return Location("run.sh", line, 3, line, 9)


def written(name: str, value: FactValue, line: int) -> tuple[str, Value]:
    """Return a fact that a command states on a line."""
    return name, Value(value, Origin(OriginKind.COMMAND, location=place(line)))


def test_evidence_is_what_decided_with_value_unit_and_origin(tmp_path: Path) -> None:
    """Evidence writes itself from the facts that were read; what did not matter is left out."""
    write_rule(tmp_path, when='(job.policy == "full" or job.devices > 4) and hw.hbm < 100 * GiB')
    known = Facts(
        [written("job.policy", "minimal", 1), written("job.devices", 8, 2), written("hw.hbm", 96 * 2**30, 3)],
        schema=VOCABULARY,
    )
    found = finding(tmp_path, known)
    assert [(item.fact, item.value, str(item.origin)) for item in found.evidence] == [
        ("job.devices", "8 devices", "command: run.sh:2:3"),
        ("hw.hbm", "96.00 GiB", "command: run.sh:3:3"),
    ]
    assert found.location == place(2)


def test_the_anchor_chooses_the_place_also_through_derived_facts(tmp_path: Path) -> None:
    """The reader is sent to the setting, not to what was computed from it."""
    write_rule(tmp_path, when="job.flag and job.layers > 1", extra="anchor: job.layers\n")
    known = Facts([written("job.flag", True, 1), written("job.rate", 2.0, 7)], schema=VOCABULARY)
    known.put("job.layers", Value(4, Origin(OriginKind.DERIVED, inputs=("job.rate",))))
    assert finding(tmp_path, known).location == place(7)


def test_secrets_in_values_are_redacted(tmp_path: Path) -> None:
    """A finding is pasted into issues."""
    write_rule(tmp_path, when='contains(job.script, "run")')
    found = finding(tmp_path, facts(job__script="run HF_TOKEN=hf_abcdefgh1234 now"))
    assert "hf_abcdefgh1234" not in found.evidence[0].value


def test_a_text_test_quotes_the_line_that_matched(tmp_path: Path) -> None:
    """The evidence of a log is its line, at its own number."""
    write_rule(tmp_path, when='mentions(run.text, "ran out of memory", "hbm")')
    log = "step 1\n  Ran out of  memory in HBM here\nstep 2\n"
    known = Facts(schema=VOCABULARY)
    known.put("run.text", Value(log, Origin(OriginKind.OBSERVED, location=Location("train.log", 10))))
    evidence = finding(tmp_path, known).evidence
    assert evidence[0].value == "Ran out of memory in HBM here"
    assert str(evidence[0].origin.location) in ("train.log:11:3", "train.log:11:25")


def test_cost_and_fix_compute(tmp_path: Path) -> None:
    """A figure in a finding is that of this launch."""
    write_rule(
        tmp_path,
        cost="Saves {0.25 * hw.hbm} of {hw.hbm / GiB:.1f} GiB.\nOn {job.chips} chips it is more.",
        fix="`--layers {job.layers * 2}` {{as is}}",
    )
    found = finding(tmp_path, facts(job__flag=True, hw__hbm=96 * 2**30, job__layers=12))
    assert found.cost == "Saves 24.00 GiB of 96.0 GiB."
    assert found.fix == "`--layers 24` {as is}"


def test_a_template_with_nothing_known_says_what_it_needs(tmp_path: Path) -> None:
    """An empty cost would read as «no cost»."""
    write_rule(tmp_path, cost="Saves {compiled.used}.")
    assert finding(tmp_path, facts(job__flag=True)).cost == "Saves unknown (needs compiled.used)."


def test_findings_come_worst_first_then_in_the_order_of_fixes(tmp_path: Path) -> None:
    """The first finding is the one to act on."""
    write_rule(tmp_path, "late-warning", identifier="R-X01", extra="order: 90\n")
    write_rule(tmp_path, "early-warning", identifier="R-X02", extra="order: 10\n")
    path = write_rule(tmp_path, "worst-of-all", identifier="R-X03")
    path.write_text(path.read_text().replace("severity: warn", "severity: critical"), encoding="utf-8")
    names = [found.name for found in evaluate(catalog(tmp_path), facts(job__flag=True)).findings]
    assert names == ["worst-of-all", "early-warning", "late-warning"]


def test_explaining_says_operand_by_operand_why_a_rule_did_not_fire(tmp_path: Path) -> None:
    """«Why did it not find this?» is the question of everybody who wrote a rule."""
    write_rule(
        tmp_path,
        when='job.layers > 4 and (job.policy == "full" or compiled.used > 1 * GiB)',
        extra="unless: job.other\n",
    )
    loaded = catalog(tmp_path)
    text = explain_outcome(loaded.rules[0], facts(job__layers=8, job__policy="minimal", job__other=False))
    assert text.split("\n") == [
        "some-rule (R-X01): cannot tell",
        "  needs compiled.used: a compile (tpuguru check)",
        "  when:",
        "    yes job.layers > 4   (now 8)",
        "    ?   one of",
        '      no  job.policy == "full"   (now minimal)',
        "      ?   compiled.used > 1 * GiB   (unknown: needs compiled.used (a compile (tpuguru check)))",
        "  unless:",
        "    no  job.other   (job.other = false)",
    ]

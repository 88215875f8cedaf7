"""Every output format: whole texts for people, valid documents for programs."""

import json
from typing import Any

import jsonschema
import pytest
from tests.report.lint.pastes import ENTRY, SCRIPT, rendered, report_of, with_comment
from tests.report.lint.sarif_structure import SARIF

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.location import Location
from tpuguru.facts.finding import Severity
from tpuguru.report.contracts.findings import LintReport
from tpuguru.report.contracts.generate import schemas
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.outputs import FORMATS, View, outputs, renderer
from tpuguru.report.lint.report import error_report
from tpuguru.report.lint.settings import LintSettings

IGNORED = with_comment("# tpuguru: ignore[master-weights-not-float32] a test", above="weight_dtype")
ONE = LintSettings(select=("remat-key-without-custom-policy",))
ERROR = UsageError("the rule is broken", location=Location("rules/a.md", 3, 1), help="mend it")


def sarif(text: str, settings: LintSettings | None = None) -> dict[str, Any]:
    """Lint a text, check the SARIF's structure, and return its one run."""
    document = json.loads(rendered(text, "sarif", settings))
    jsonschema.validate(document, SARIF)
    run: dict[str, Any] = document["runs"][0]
    return run


def test_the_text_shows_the_line_with_carets_and_reasons() -> None:
    """The whole text of one finding, as a reader gets it."""
    assert rendered(SCRIPT, "text", ONE) == (
        "warn: Per-tensor remat keys do nothing unless remat_policy=custom "
        "[remat-key-without-custom-policy] 🟢\n"
        "  --> run.sh:4:3\n"
        "   4 |   remat_policy=full\n"
        "     |   ^^^^^^^^^^^^^^^^^\n"
        "     = decoder_layer_input set, but remat_policy=full never reads it\n"
        "     = because: maxtext.remat.policy = full  (derived: run.sh:4:3)\n"
        "     = because: maxtext.remat.ignored = decoder_layer_input  (derived: run.sh:4:3)\n"
        "     = cost: Nothing is kept or offloaded because of decoder_layer_input; the memory it was meant to save\n"
        "             stays in use.\n"
        "     = fix: `remat_policy=custom`, or remove decoder_layer_input.\n"
        "     = skip when: The keys are left over from another policy on purpose.\n"
        "     = more: tpuguru explain remat-key-without-custom-policy\n"
        "\n"
        "1 finding: 0 critical, 1 warn, 0 info\n"
    )


def test_concise_is_one_line_a_finding() -> None:
    """Editors and grep read it."""
    assert rendered(SCRIPT, "concise", ONE) == (
        "run.sh:4:3: warn: Per-tensor remat keys do nothing unless remat_policy=custom: "
        "decoder_layer_input set, but remat_policy=full never reads it [remat-key-without-custom-policy]\n1 finding: 0 critical, 1 warn, 0 info\n"
    )


def test_suppressed_findings_are_counted_and_shown_on_request() -> None:
    """What was accepted can be seen through."""
    settings = LintSettings(select=("master-weights-not-float32",))
    assert rendered(IGNORED, "concise", settings) == (
        "0 findings: 0 critical, 0 warn, 0 info (1 suppressed)\n"
    )
    shown = rendered(IGNORED, "text", settings, suppressed=True)
    assert "suppressed by: comment at run.sh:7:3: a test" in shown


def test_github_escapes_what_its_commands_reserve() -> None:
    """A colon or line end inside a message must not end the command."""
    line = rendered(SCRIPT, "github", ONE).split("\n")[0]
    assert line.startswith(
        "::warning title=remat-key-without-custom-policy%3A Per-tensor remat keys do nothing"
    )
    assert ",file=run.sh,line=4,col=3,endColumn=20::decoder_layer_input set" in line
    assert "%0AFix: `remat_policy=custom`" in line


def test_markdown_has_setting_cost_fix_and_source() -> None:
    """A pull request comment stands on its own."""
    text = rendered(SCRIPT, "markdown", ONE)
    assert "### ⚠️ warn: Per-tensor remat keys do nothing" in text
    for part in (
        "- **Setting:** `remat_policy=full` (run.sh:4:3)",
        "- **Cost:**",
        "- **Fix:**",
        "**Source:** [",
    ):
        assert part in text


def test_json_is_the_contract() -> None:
    """What programs read follows the published schema."""
    document = json.loads(rendered(IGNORED, "json"))
    jsonschema.validate(document, json.loads(schemas()["findings.v1"]))
    assert document["schema"] == "tpuguru/findings/v1"
    assert document["launches"][0]["framework"] == "maxtext"
    assert any(entry["what"] == "large-parameter-replicated" for entry in document["not_checked"])


def test_sarif_marks_what_is_suppressed_and_proposes_the_fix() -> None:
    """Code scanning keeps the alert's state and shows the change."""
    results = {result["ruleId"]: result for result in sarif(IGNORED)["results"]}
    assert results["R-T38"]["suppressions"][0]["justification"] == "a test"
    dead = results["R-T12"]
    assert (dead["level"], dead["kind"]) == ("warning", "fail")
    change = dead["fixes"][0]["artifactChanges"][0]["replacements"][0]
    assert change["insertedContent"]["text"] == "remat_policy=custom"
    assert change["deletedRegion"] == {"startLine": 4, "startColumn": 3, "endLine": 4, "endColumn": 20}
    assert len(dead["partialFingerprints"]["tpuguru/v1"]) == 16


def test_sarif_rules_are_indexed() -> None:
    """A result's ruleIndex must point at its own rule."""
    run = sarif(SCRIPT)
    rules = run["tool"]["driver"]["rules"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in run["results"])


def test_sarif_of_a_clean_launch_is_valid() -> None:
    """No finding is a result too."""
    run = sarif(f"{ENTRY} model_name=llama3.1-8b steps=30")
    assert run["results"] == []
    assert run["invocations"][0]["executionSuccessful"] is True


def test_a_failed_run_is_a_valid_document_that_says_so() -> None:
    """CI must not meet an empty file, nor take a failure for a clean result."""
    report = error_report(ERROR)
    document = json.loads(renderer("sarif")(report, Excerpts({}), View()))
    jsonschema.validate(document, SARIF)
    invocation = document["runs"][0]["invocations"][0]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert "the rule is broken" in invocation["toolExecutionNotifications"][0]["message"]["text"]
    contract = json.loads(renderer("json")(report, Excerpts({}), View()))
    jsonschema.validate(contract, json.loads(schemas()["findings.v1"]))


def test_every_format_renders_every_report() -> None:
    """No format may fail on an error, an empty report, or a place whose text is not at hand."""
    reports = [
        error_report(ERROR),
        error_report(NothingToCheckError("nothing")),
        report_of(SCRIPT),
        LintReport(tool=error_report(ERROR).tool),
    ]
    for name in FORMATS:
        for report in reports:
            assert renderer(name)(report, Excerpts({}), View(colour=True, suppressed=True))


def test_paths_are_relative_uris() -> None:
    """Code scanning finds the file by its path in the repository."""
    locations = sarif(SCRIPT)["results"][0]["locations"]
    assert locations[0]["physicalLocation"]["artifactLocation"]["uri"] == "run.sh"


def test_a_very_long_line_is_cut_around_the_setting() -> None:
    """Commands of several thousand characters on one line are common."""
    filler = " ".join(f"base_mlp_dim={number}" for number in range(300))
    text = rendered(f"{ENTRY} {filler} remat_policy=full decoder_layer_input=offload", "text", ONE)
    line, carets = text.split("\n")[2:4]
    assert len(line) < 200
    assert line[carets.index("^") : carets.rindex("^") + 1] == "remat_policy=full"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["srif"], "unknown output format 'srif'"),
        (["json", "text"], "two formats cannot share standard output"),
        (["json="], "the output format json names no file after ="),
    ],
)
def test_faulty_formats_are_refused(words: list[str], sentence: str) -> None:
    """Before anything is read or written."""
    with pytest.raises(UsageError) as caught:
        outputs(words)
    assert caught.value.message == sentence


def test_borderline_is_a_review_without_a_level() -> None:
    """SARIF forbids a level other than none for what is not a failure."""
    report = report_of(SCRIPT, ONE)
    finding = report.findings[0]
    near = type(finding)(
        **{name: getattr(finding, name) for name in finding.__struct_fields__}
        | {"verdict": "borderline", "severity": Severity.INFO.value}
    )
    changed = LintReport(tool=report.tool, launches=report.launches, findings=(near,), inputs=report.inputs)
    document = json.loads(renderer("sarif")(changed, Excerpts({}), View()))
    jsonschema.validate(document, SARIF)
    assert (document["runs"][0]["results"][0]["kind"], document["runs"][0]["results"][0]["level"]) == (
        "review",
        "none",
    )

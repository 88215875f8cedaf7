"""Scripts that the lint tests judge, and the shortest way to judge them."""

from pathlib import Path

from tpuguru.launch.reader import read_paste
from tpuguru.report.contracts.findings import LintFindingRecord, LintReport
from tpuguru.report.lint.excerpts import Excerpts
from tpuguru.report.lint.outputs import View, renderer
from tpuguru.report.lint.report import lint_report
from tpuguru.report.lint.run import LintRun, lint
from tpuguru.report.lint.settings import LintSettings
from tpuguru.rules.catalog import load_catalog

ENTRY = "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml"

SCRIPT = f"""#!/bin/bash
ARGUMENTS=(
  model_name=llama3.1-8b
  remat_policy=full
  decoder_layer_input=offload

  weight_dtype=bfloat16
)
{ENTRY} "${{ARGUMENTS[@]}}" steps=30
"""


def run_of(text: str, settings: LintSettings | None = None, path: str = "run.sh") -> LintRun:
    """Lint a text."""
    return lint([read_paste(text, path)], load_catalog(), settings or LintSettings())


def report_of(text: str, settings: LintSettings | None = None) -> LintReport:
    """Lint a text and return the contract."""
    return lint_report(run_of(text, settings))


def findings(text: str, settings: LintSettings | None = None) -> dict[str, LintFindingRecord]:
    """Lint a text and return its findings by name."""
    return {finding.name: finding for finding in report_of(text, settings).findings}


def rendered(
    text: str, output_format: str, settings: LintSettings | None = None, *, suppressed: bool = False
) -> str:
    """Lint a text and render it."""
    run = run_of(text, settings)
    excerpts = Excerpts({paste.path: paste.text for paste in run.pastes})
    return renderer(output_format)(lint_report(run), excerpts, View(suppressed=suppressed))


def with_comment(comment: str, *, above: str) -> str:
    """Return the script with a comment line above the line that holds a text."""
    lines = SCRIPT.split("\n")
    number = next(number for number, line in enumerate(lines) if above in line)
    return "\n".join([*lines[:number], f"  {comment}", *lines[number:]])


def touch(path: Path, text: str) -> Path:
    """Write a file, with its folders, and return it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path

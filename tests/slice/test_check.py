"""``tpuguru check`` of a program that no framework of ours starts: it is rehearsed."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.slice.conftest import PROGRAMS, tpuguru

from tpuguru.base.locations import data_directory

pytestmark = [pytest.mark.toolchain, pytest.mark.slow]

type Report = dict[str, Any]


def check(python: Path, folders: dict[str, str], *words: str) -> tuple[int, Report, str]:
    """The exit code, the report and the standard error of a check of the training loop."""
    done = subprocess.run(
        [*tpuguru("check"), "-", "--slice", "v6e-4", "--yes", "--output-format", "json"],
        env=os.environ | folders,
        cwd=PROGRAMS,
        input=f"export JOB=1\nSTEPS=100\n{python} train.py $STEPS {' '.join(words)}\n",
        capture_output=True,
        text=True,
        timeout=400,
        check=False,
    )
    return done.returncode, json.loads(done.stdout), done.stderr


def test_the_report_joins_what_is_said_and_what_was_done(python: Path, folders: dict[str, str]) -> None:
    """Three steps of the user's own command: a verdict, the step's program, and the rehearsal itself."""
    code, report, stderr = check(python, folders)
    assert code == 0, stderr[-2000:]
    jsonschema.validate(report, json.loads((data_directory("contracts") / "check.v1.json").read_text()))
    assert "env JOB=1" in stderr
    assert report["verdict"]["outcome"] == "fits"
    peak = max(device["peak"] for device in report["rehearsal"]["devices"])
    assert report["verdict"]["need"]["value"] == peak
    assert (report["input"]["framework"], report["target"]["slice"]) == ("jax", "v6e-4")
    [traffic] = report["collectives"]
    assert (traffic["axes"], traffic["kind"]) == ("data", "all-reduce")
    assert report["rehearsal"]["step"]["runs"] == 3
    assert report["filled_in"] == ["ended after 3 steps (--steps)"]


def test_a_program_that_fails_is_a_finding(python: Path, folders: dict[str, str]) -> None:
    """The verdict names the exception and the user's line."""
    code, report, _ = check(python, folders, "explode")
    assert code == 1
    assert report["verdict"]["outcome"] == "failed"
    assert "ZeroDivisionError" in report["verdict"]["sentence"]
    assert "train.py:" in report["verdict"]["sentence"]

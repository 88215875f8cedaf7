"""`tpuguru doctor` from its front door: whole reports as snapshots, options, exit codes, hostile scripts."""

import io
import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest

from tpuguru.base.exit_codes import ExitCode
from tpuguru.cli.main import main

EXAMPLES = Path(__file__).parents[2] / "examples" / "relax"
SNAPSHOTS = Path(__file__).with_name("doctor")
SCRIPTS = sorted(path.relative_to(EXAMPLES).as_posix() for path in (EXAMPLES / "training").rglob("*.sh"))
DENSE = "training/text/run-qwen3-4B-8xgpu.sh"
OFFLOADED = "training/text/run-qwen35-35B-A3B-16xgpu.sh"
IMAGES = "training/multimodal/run-qwen3-vl-4B-8xgpu-image.sh"
HEAD = re.compile(
    r"# perf-doctor: [\w.-]+\.sh( \(\w+=\w+\))?\n\n"
    r"\*\*Context:\*\* model=\S+ \((dense|MoE|sizes unknown)[^)]*, (text|mm|video)\) · GPUs=\S+ \(\S+×\S+\) · "
    r"mode=(colocate|fully-async|hybrid|separate) · TP\S+/PP\S+/CP\S+/EP\S+/ETP\S+ · max-resp-len=\S+ · GPU=.+\n\n"
    r"## 🚀 Performance findings\n(.|\n)*\n## 💾 Memory findings\n(.|\n)*\n## Summary\n"
    r"- Critical: \d+ · Warn: \d+ · Info: \d+\n- \*\*Top action:\*\* .+"
)
FINDING = re.compile(
    r"### \[(CRITICAL|WARN|INFO|BORDERLINE)\] R-[A-Z]+\d+ — .+\n- \*\*Setting:\*\* (.+\n)+?"
    r"(- \*\*Cost:\*\* (.+\n)+?)?- \*\*Fix:\*\* (.+\n)+?(- \*\*Skip if:\*\* (.+\n)+?)?"
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in the examples, with caches and configuration of the test's own; return an empty folder."""
    for variable in ("XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(variable, str(tmp_path / ".home" / variable.lower()))
    monkeypatch.chdir(EXAMPLES)
    work = tmp_path / "work"
    work.mkdir()
    return work


def doctor(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Run the command and return its exit code, output and errors."""
    code = main(["doctor", *words])
    output = capsys.readouterr()
    return code, output.out, output.err


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_report_is_the_snapshot(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole text of each example's report; TPUGURU_UPDATE_SNAPSHOTS=1 writes them anew."""
    code, text, errors = doctor(capsys, script)
    assert code in (ExitCode.CLEAN, ExitCode.FINDINGS)
    assert not errors
    path = SNAPSHOTS / f"{Path(script).stem}.md"
    if os.environ.get("TPUGURU_UPDATE_SNAPSHOTS"):
        SNAPSHOTS.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_report_has_the_agreed_shape(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Heading, context line, two sections, findings with their four bullets, summary with a top action."""
    _, text, _ = doctor(capsys, script)
    assert HEAD.match(text), text[:600]
    headings = text.count("\n### ")
    assert len(FINDING.findall(text)) == headings


@pytest.mark.parametrize("script", SCRIPTS)
def test_lint_finds_the_same(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The perf-doctor is another view of lint: the same rules, each with an identity of its own in both."""
    _, text, _ = doctor(capsys, script)
    main(["lint", script, "--output-format", "json"])
    report = json.loads(capsys.readouterr().out)
    counted = {one["id"] for one in report["findings"] if one["suppression"] is None}
    assert set(re.findall(r"### \[\w+\] (R-\w+)", text)) == counted


def test_lint_shows_it_as_a_compiler_does(capsys: pytest.CaptureFixture[str]) -> None:
    """Place, line and carets of the same finding."""
    main(["lint", DENSE])
    text = capsys.readouterr().out
    assert "[zero-weight-reference]" in text
    assert re.search(r"--> training/text/run-qwen3-4B-8xgpu.sh:\d+:4\n.+--use-kl-loss\n.+\^{5,}", text)


def test_the_gpu_changes_what_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """H20 is assumed and says so; on H100 another context and another verdict for the same script."""
    _, assumed, _ = doctor(capsys, DENSE)
    _, named, _ = doctor(capsys, DENSE, "--gpu", "H100")
    assert "GPU=H20 96GB (assumed)" in assumed
    assert "GPU=H100 SXM 80GB" in named.replace("  ", " ") or "GPU=H100" in named
    assert "(assumed)" not in named
    assert "### [BORDERLINE] R-P16" in assumed
    assert "### [WARN] R-P16" in named


def test_an_unknown_gpu_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """With the nearest names, exit code 2, no traceback."""
    code, text, errors = doctor(capsys, DENSE, "--gpu", "H2O")
    assert (code, text) == (ExitCode.USAGE, "")
    assert "no chip is called 'H2O'" in errors
    assert "h20" in errors


def test_fixes_build_on_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    """The budget is estimated again after each fix, and one that does not go with those before says so."""
    _, text, _ = doctor(capsys, OFFLOADED)
    assert re.search(r"\(fix 2\) Remove `--optimizer-cpu-offload", text)
    assert re.search(r"with fix 1 and 2 applied: \d+\.\d of 95\.6 GiB", text)
    refused = re.search(r"R-P12(.|\n)*?\*not on top of fix 1 to \d: (\d+\.\d) of 95\.6 GiB", text)
    assert refused
    assert float(refused[2]) > 0.85 * 95.6


def test_an_explained_setting_is_an_info_that_quotes_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    """A NOTE above the flag: kept, lowered, quoted, and no part of the plan."""
    _, text, _ = doctor(capsys, IMAGES)
    finding = text[text.index("### [INFO] R-P01") :].partition("\n\n")[0]
    assert "«NOTE(lin): the KL value is watched on the board, it has to be computed»" in finding
    assert "R-P01" not in text[text.index("**Top action:**") :].split("\n")[0]


def test_an_ignored_finding_is_told_in_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    """With its reason and its place; it counts nowhere."""
    _, text, _ = doctor(capsys, IMAGES)
    assert "### [WARN] R-M13" not in text
    assert re.search(
        r"- \*\*Not counted:\*\* R-M13 memory-fraction-too-high: .*4 GiB are left at the peak", text
    )


@pytest.mark.parametrize("script", [script for script in SCRIPTS if "npu" in script or "klx" in script])
def test_other_vendors(script: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Rules about NVIDIA kernels stay silent, and the report names them; no GPU is assumed."""
    _, text, _ = doctor(capsys, script)
    silent = re.search(r"- \*\*Silent on (npu|klx):\*\* (.+): rules about NVIDIA kernels", text)
    assert silent
    assert {"R-P22", "R-P25", "R-P26"} <= set(silent[2].split(", "))
    assert not re.search(r"### .* (R-P22|R-P25|R-P26|R-P18)", text)
    assert "assumed" not in text.split("\n")[2]


def test_a_name_that_contradicts_the_resources(capsys: pytest.CaptureFixture[str]) -> None:
    """The name says 16, the resources say 8: a finding, and everything is judged by the 8."""
    _, text, _ = doctor(capsys, "training/text/run-qwen35-35B-A3B-16xgpu-vpp.sh")
    assert "GPUs=8 (1×8)" in text
    assert "the file name says 16 GPUs, `--resource` 8" in text


def test_a_mode_switch_gives_two_reports(capsys: pytest.CaptureFixture[str]) -> None:
    """Each variant has its own context and findings."""
    _, text, _ = doctor(capsys, "training/text/run-qwen3-8B-8xgpu-modes.sh")
    assert re.findall(r"^# perf-doctor: .+ \((.+)\)$", text, re.MULTILINE) == ["MODE=sync", "MODE=async"]
    assert re.findall(r"mode=(\S+)", text)[:2] == ["colocate", "fully-async"]


def test_without_the_model_configuration(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A script alone: what needs sizes says which file is missing, the rest is judged; `--model` fills it in."""
    (folder / "deep" / "er").mkdir(parents=True)
    alone = Path(shutil.copy(EXAMPLES / OFFLOADED, folder / "deep" / "er"))
    _, text, _ = doctor(capsys, str(alone))
    assert "(sizes unknown, text)" in text
    assert "R-P01" in text
    assert re.search(r"\*\*Not checked:\*\* .*R-P02.*: needs .*qwen35-35B-A3B.sh, or --model NAME", text)
    _, named, _ = doctor(capsys, str(alone), "--model", "Qwen3.5-35B-A3B")
    assert "(MoE, sizes as --model says, text)" in named
    assert "[WARN] R-P02" in named


def test_host_memory_is_given_by_option(capsys: pytest.CaptureFixture[str]) -> None:
    """The script cannot say how much a node has: borderline without, a verdict with it."""
    script = "training/text/run-qwen35-35B-A3B-16xgpu-vpp.sh"
    assert "### [BORDERLINE] R-M19" in doctor(capsys, script)[1]
    assert "### [WARN] R-M19" in doctor(capsys, script, "--host-memory", "512GiB")[1]
    assert "R-M19" not in doctor(capsys, script, "--host-memory", "4TiB")[1]
    assert doctor(capsys, script, "--host-memory", "much")[0] == ExitCode.USAGE


def test_exit_codes_and_formats(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Lint's: 1 when something is severe enough; other formats go beside the report."""
    report = folder / "out.sarif"
    code, text, _ = doctor(capsys, DENSE, "--fail-on", "warn", "--output-format", f"sarif={report}")
    assert code == ExitCode.FINDINGS
    assert text.startswith("# perf-doctor")
    assert json.loads(report.read_text())["version"] == "2.1.0"
    assert doctor(capsys, DENSE)[0] == ExitCode.CLEAN
    assert doctor(capsys, DENSE, "--fail-on", "warn", "--exit-zero")[0] == ExitCode.CLEAN


def test_standard_input_has_the_name_it_is_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A pasted script is judged like the file; its name is compared with the resources."""
    text = (EXAMPLES / DENSE).read_bytes()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text)))
    _, report, _ = doctor(capsys, "-", "--stdin-filename", "run-qwen3-4B-16xgpu.sh")
    assert report.startswith("# perf-doctor: run-qwen3-4B-16xgpu.sh")
    assert "the file name says 16 GPUs, `--resource` 8" in report


def test_other_frameworks_are_sent_to_lint(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The perf-doctor judges Relax; an empty or other paste is «nothing to check»."""
    other = folder / "run.sh"
    other.write_text("python3 -m maxtext.trainers.pre_train.train base.yml steps=3\n", encoding="utf-8")
    code, text, errors = doctor(capsys, str(other))
    assert (code, text) == (ExitCode.NOTHING_TO_CHECK, "")
    assert "tpuguru lint" in errors
    other.write_text("echo nothing\n", encoding="utf-8")
    assert doctor(capsys, str(other))[0] == ExitCode.NOTHING_TO_CHECK


def test_the_script_is_neither_changed_nor_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Commands in it are text: nothing is executed, no file is touched."""
    victim = folder / "victim"
    victim.write_text("keep", encoding="utf-8")
    script = folder / "run-qwen3-4B-8xgpu.sh"
    text = (EXAMPLES / DENSE).read_text(encoding="utf-8")
    hostile = (
        f'X=$(rm -rf "{victim}"; touch "{folder}/made")\nrm -rf "{victim}"\n`touch {folder}/made`\n{text}'
    )
    script.write_text(hostile, encoding="utf-8")
    doctor(capsys, str(script))
    assert victim.read_text(encoding="utf-8") == "keep"
    assert script.read_text(encoding="utf-8") == hostile
    assert sorted(path.name for path in folder.iterdir()) == ["run-qwen3-4B-8xgpu.sh", "victim"]


def test_secrets_do_not_reach_the_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither in a setting nor in a note."""
    script = folder / "run.sh"
    secret = "hf_" + "a" * 30
    script.write_text(
        f"python3 -m relax.entrypoints.train --colocate --use-kl-loss --kl-loss-coef {secret} "
        f"--hf-checkpoint {secret} --wandb-key {secret}x\n",
        encoding="utf-8",
    )
    code, text, errors = doctor(capsys, str(script))
    assert code == ExitCode.CLEAN
    assert secret not in text + errors


LAUNCH = b"python3 -m relax.entrypoints.train --colocate --use-kl-loss --kl-loss-coef 0.0 --kl-coef 0\n"
HOSTILE = {
    "windows-line-ends": LAUNCH.replace(b"\n", b"\r\n"),
    "invalid-utf8": b"# \xff\xfe\xc3\x28 comment\n" + LAUNCH,
    "byte-order-mark": b"\xef\xbb\xbf" + LAUNCH,
    "unclosed-array": b"A=(\n--tp 2\n" + LAUNCH,
    "unclosed-quote": LAUNCH + b"echo 'never closed\n",
    "deep-nesting": b"x=" + b"$(echo " * 500 + b"1" + b")" * 500 + b"\n" + LAUNCH,
    "deep-ifs": b"if true; then\n" * 300 + LAUNCH + b"fi\n" * 300,
    "endless-loop": b"while true; do x=$((x+1)); done\n" + LAUNCH,
    "fork-bomb": b":(){ :|:& };:\n" + LAUNCH,
    "sources-itself": b'source "$0"\nsource ./run.sh\n' + LAUNCH,
    "many-flags": LAUNCH.rstrip() + b" --x 1" * 20_000 + b"\n",
    "huge-numbers": LAUNCH.rstrip() + b" --tensor-model-parallel-size 99999999999999999999 --max-tokens-per-gpu 1e308\n",
    "negative-sizes": LAUNCH.rstrip() + b" --pipeline-model-parallel-size -3 --global-batch-size 0\n",
    "json-bomb": LAUNCH.rstrip() + b" --resource '" + b"[" * 20_000 + b"'\n",
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_scripts(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A clean partial result or one clear sentence, in bounded time, never a traceback."""
    script = folder / "run.sh"
    script.write_bytes(HOSTILE[name])
    started = time.process_time()
    code, text, errors = doctor(capsys, str(script))
    assert time.process_time() - started < 30
    assert code in (ExitCode.CLEAN, ExitCode.FINDINGS, ExitCode.USAGE, ExitCode.NOTHING_TO_CHECK)
    assert "Traceback" not in text + errors
    assert "bug" not in errors.lower()
    if code in (ExitCode.CLEAN, ExitCode.FINDINGS):
        assert HEAD.match(text)


def test_a_binary_and_a_huge_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """100 MB and NUL characters are refused in one sentence."""
    script = folder / "run.sh"
    with script.open("wb") as file:
        file.truncate(100 * 1024 * 1024)
    assert doctor(capsys, str(script))[0] == ExitCode.USAGE
    script.write_bytes(b"\x7fELF\0\0" + LAUNCH)
    code, text, errors = doctor(capsys, str(script))
    assert (code, text) == (ExitCode.USAGE, "")
    assert errors.startswith("error: ")


def test_a_missing_script_is_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """In one sentence."""
    code, text, errors = doctor(capsys, "no-such-script.sh")
    assert (code, text) == (ExitCode.USAGE, "")
    assert "no-such-script.sh" in errors

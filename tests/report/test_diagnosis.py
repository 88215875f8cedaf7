"""The diagnosis as people see it: whole reports, a launch in the paste, published figures, exit codes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tpuguru.report.diagnosis.build import diagnose_scan
from tpuguru.report.diagnosis.text import render_text
from tpuguru.telemetry.scan import scan

SNAPSHOTS = Path(__file__).parent / "snapshots"


def report_of(text: str) -> str:
    return render_text(diagnose_scan(scan([text.encode()]), "paste.txt").report)


def run(text: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "diagnose", "-", *words],
        input=text,
        capture_output=True,
        text=True,
        check=False,
    )


VMEM = "E1001: Scoped allocation with size 45.54M and limit 32.00M exceeded scoped vmem limit by 13.54M.\n"


def test_the_whole_report_of_a_compile_error() -> None:
    """What is wrong, why, what to do, where it was seen: in that order."""
    snapshot = SNAPSHOTS / "diagnosis-vmem.txt"
    assert report_of(VMEM) == snapshot.read_text(encoding="utf-8")


def test_a_launch_in_the_paste_brings_its_framework_s_rules() -> None:
    """People paste the command with the log; what the command says is checked as well."""
    text = (
        "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml model_name=qwen3-0.6b"
        " remat_policy=full decoder_layer_input=offload\n"
        "completed step: 1, seconds: 3.0, TFLOP/s/device: 1.0, Tokens/s/device: 7.0, total_weights: 1, loss: 2.0\n"
    )
    assert "remat-key-without-custom-policy" in report_of(text)


@pytest.mark.parametrize(
    ("figure", "severity", "verdict"),
    [
        ("1,200 TFLOP/s per chip", "info", "within what was published"),
        ("1,900 TFLOP/s per chip", "warn", "above what was published"),
        ("2,900 TFLOP/s per chip", "critical", "impossible"),
    ],
)
def test_a_figure_is_held_against_the_published_ones(figure: str, severity: str, verdict: str) -> None:
    """Too good to be true is judged by what others reached on the same model and chip."""
    report = diagnose_scan(scan([f"llama3.1-70b on tpu7x: {figure}\n".encode()]), "-").report
    found = next(finding for finding in report.findings if finding.name == "figure-against-published")
    assert found.severity == severity
    assert found.title.endswith(verdict)


def test_exit_codes_and_json() -> None:
    """A proved critical finding is 1, a clean log 0, nothing at all 3; the JSON names its contract."""
    assert run(VMEM).returncode == 1
    assert run("all is well\n").returncode == 0
    assert run("").returncode == 3
    document = json.loads(run(VMEM, "--format", "json").stdout)
    assert document["schema"] == "tpuguru/diagnosis/v1"
    assert document["findings"][0]["name"] == "vmem-over-its-limit"


def test_a_compile_after_the_first_step_is_counted() -> None:
    """The same line before the first step is the ordinary compile."""
    step = "completed step: 0, seconds: 60.0, TFLOP/s/device: 1.0, loss: 2.0\n"
    line = "Finished XLA compilation of jit(train_step) in 42.0 sec\n"
    assert "compiles-after-the-first-step" in report_of(step + line)
    assert "compiles-after-the-first-step" not in report_of(line + step)


def test_secrets_are_not_repeated() -> None:
    """A pasted token is redacted before it is shown."""
    done = run(
        "HF_TOKEN=hf_abcdefghijklmnopqrstuvwx0123 python x.py\nValueError: no quantisation rule for gmm int8 qwix\n"
    )
    assert "hf_abcdef" not in done.stdout + done.stderr


def test_any_language_and_ansi_colours() -> None:
    """Input in any language is read; its ASCII parts still match."""
    assert "vmem-over-its-limit" in report_of("编译失败：\x1b[31m" + VMEM + "\x1b[0m请问怎么办？\n")


HARMLESS = {
    "metrics of a healthy RL run": "".join(
        f"step {step}: rollout/reward_mean=0.4{step} rollout/response_len=1833 train/kl=0.0021 "
        f"train/entropy=0.63 train/grad_norm=0.22 perf/step_time=74.2 perf/rollout_time=41.0\n"
        for step in range(3)
    ),
    "a green test run": "collected 25 items\ntests/test_oom.py ....\ntests/test_nan_loss.py ....\n"
    "tests/test_resume.py ....\n=== 25 passed, 3 warnings in 41.22s ===\n",
    "packages being installed": "Successfully installed jax-0.8.1 jaxlib-0.8.1 libtpu-0.0.30 scipy-1.15.0\n"
    "WARNING: Running pip as the 'root' user can result in broken permissions\n",
    "a note that all is well": "The run resumed from step 4000 without a jump. Loss 2.31 -> 2.30. No OOM, no "
    "NaN. MFU 41%, up from 39% because we raised the batch. Next: int8 for the ffn, compare quality on MMLU.",
    "a question": "What is the difference between tensor parallelism and FSDP on TPU?",
    "a question in Chinese": "你好,请问 v6e 和 v5p 每个芯片的 HBM 是多少?",
    "a README": "If you run out of memory, lower --max-tokens-per-gpu. See docs for CUDA out of memory "
    "troubleshooting.",
}


@pytest.mark.parametrize("text", HARMLESS.values(), ids=HARMLESS.keys())
def test_no_alarm_where_nothing_is_wrong(text: str) -> None:
    """Who is warned of nothing three times does not read the fourth warning."""
    findings = diagnose_scan(scan([text.encode()]), "paste.txt").findings
    assert [finding.name for finding in findings if finding.severity.value == "critical"] == []

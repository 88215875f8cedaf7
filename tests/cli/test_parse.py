"""`tpuguru parse`: the normalised launch as JSON or text, exit codes, secrets, round trip."""

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

TRAIN = "python3 -m maxtext.trainers.pre_train.train base.yml"


def parse(*arguments: str, stdin: bytes = b"", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "tpuguru.cli.main", "parse", *arguments],
        input=stdin,
        capture_output=True,
        check=False,
        cwd=cwd,
        env={**os.environ, "PYTHONIOENCODING": "utf-8"},
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def test_json_follows_the_contract() -> None:
    """The document validates against contracts/launch.v1.json."""
    done = parse("--command", f"LIBTPU_INIT_ARGS='--xla_a=1' {TRAIN} steps=3 steps=4 run_name=$X")
    document = json.loads(done.stdout)
    jsonschema.validate(document, json.loads(Path("contracts/launch.v1.json").read_text()))
    (launch,) = document["launches"]
    assert done.returncode == 0
    assert [setting["text"] for setting in launch["settings"][:2]] == ["3", "4"]
    assert launch["settings"][0]["overridden_by"] == launch["settings"][1]["location"]
    assert launch["settings"][2]["text"]["needs"] == "the value of X"


def test_the_document_is_input_again(tmp_path: Path) -> None:
    """launch/v1 in, the same launches out."""
    path = tmp_path / "run.sh"
    path.write_text(
        f"# why\nA='--xla_a=1'\nexport LIBTPU_INIT_ARGS=$A\nxpk workload create --tpu-type=v6e-8 --command=\"{TRAIN} steps=$N\"\n"
    )
    first = json.loads(parse(str(path)).stdout)
    (tmp_path / "launch.json").write_text(json.dumps(first))
    second = json.loads(parse(str(tmp_path / "launch.json")).stdout)
    assert second["launches"] == first["launches"]
    assert second["input"]["kind"] == "launch-json"


def test_text_output_names_every_place() -> None:
    """One line a setting."""
    done = parse("--command", f"{TRAIN} steps=3", "--format", "text")
    assert "steps=3  <command>:1:" in done.stdout
    assert done.stdout.startswith("maxtext: maxtext.trainers.pre_train.train\n")


def test_stdin_and_files(tmp_path: Path) -> None:
    """`-` reads standard input; sourced files are found from the working folder."""
    (tmp_path / "m.sh").write_text("S=9\n")
    done = parse("-", stdin=f"source m.sh\n{TRAIN} steps=$S\n".encode(), cwd=tmp_path)
    assert json.loads(done.stdout)["launches"][0]["settings"][0]["text"] == "9"


def test_fills_are_marked() -> None:
    """`--set` wins and says so; `--env` fills a variable."""
    done = parse("--command", f"{TRAIN} steps=3 run_name=$R", "--set", "steps=5", "--env", "R=me")
    settings = json.loads(done.stdout)["launches"][0]["settings"]
    assert [(s["key"], s["text"], s["source"]) for s in settings] == [
        ("steps", "3", "command"),
        ("run_name", "me", "filled in"),
        ("steps", "5", "filled in"),
    ]
    assert "overridden_by" in settings[0]


SECRETS = ("tok3nvalue", "k3yvalue", "pa55word", "hf_abcdefghijklmnop", "sk-abcdefghijklmnop")


@pytest.mark.parametrize("form", ["json", "text"])
def test_no_secret_reaches_the_output(form: str) -> None:
    """Environment, settings, wrappers, comments, notes, raw spellings."""
    text = (
        f"# login with {SECRETS[3]}\nexport HF_TOKEN={SECRETS[0]}\nexport URL=https://u:{SECRETS[2]}@h/\n"
        f'docker run -e WANDB_API_KEY={SECRETS[1]} -e HF_TOKEN img bash -c "{TRAIN} hf_access_token={SECRETS[3]} a={SECRETS[4]}"\n'
        f'ray job submit --runtime-env-json=\'{{"env_vars":{{"WANDB_API_KEY":"{SECRETS[1]}"}}}}\' -- {TRAIN} {SECRETS[4]}\n'
    )
    done = parse("-", "--format", form, stdin=text.encode())
    assert done.returncode == 0
    assert not [secret for secret in SECRETS if secret in done.stdout + done.stderr]
    assert "<redacted>" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "sentence"),
    [
        ((), b"", 2, "name one paste"),
        (("gone.sh",), b"", 2, "there is no file gone.sh"),
        ((".",), b"", 2, "cannot read ."),
        (("-",), b"", 3, "<stdin> is empty"),
        (("-",), b"ls -l\n", 3, "holds no launch of"),
        (("-",), b"rm -rf ~\n", 3, "holds no launch of"),
        (("-",), b"\0\1\2", 2, "is binary"),
        (("-",), b"a: [1\nb: 2\n", 2, "not valid YAML"),
        (("-", "--set", "x"), b"ls", 2, "--set takes NAME=VALUE"),
        (("-",), b"x" * (5 << 20), 2, "too large to be a launch"),
    ],
)
def test_errors_are_one_sentence_and_a_code(
    arguments: tuple[str, ...], stdin: bytes, code: int, sentence: str
) -> None:
    """Usage 2, nothing to check 3; nothing on stdout."""
    done = parse(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (code, "")
    assert sentence in done.stderr.splitlines()[0]
    assert done.stderr.startswith("error: ")
    assert "Traceback" not in done.stderr

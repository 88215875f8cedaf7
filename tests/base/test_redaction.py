"""Secrets are hidden by the name they go under and by their own form; what only looks like one stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tpuguru.base.redaction import REDACTED, is_secret_name, redact, redact_value


@pytest.mark.parametrize(
    "text",
    [
        "HF_TOKEN=SECRET",
        "export WANDB_API_KEY='SECRET'",
        "docker run -e HF_TOKEN=SECRET img",
        'docker run -e WANDB_API_KEY="SECRET" img',
        "train --api-key SECRET --x",
        "train --wandb-key=SECRET",
        '{"env_vars": {"WANDB_API_KEY": "SECRET"}}',
        '"{\\"env_vars\\": {\\"HF_TOKEN\\": \\"SECRET\\"}}"',
        "AWS_SECRET_ACCESS_KEY=SECRET",
        "AWS_ACCESS_KEY_ID=SECRET",
        "curl -H 'Authorization: Bearer SECRET'",
        "curl -H 'Authorization: Basic SECRET1='",
        "git clone https://me:SECRET@host/x.git",
        "password: SECRET",
        "hf_SECRETSECRETSECRET",
        "run sk-proj-SECRETSECRET",
        "ghp_SECRETSECRETSECRET",
        "AKIASECRETSECRET",
        "--hf-token SECRET",
        "client.apiKey=SECRET",
    ],
)
def test_secrets_are_hidden(text: str) -> None:
    """Each common way to write one."""
    assert "SECRET" not in redact(text).replace("AWS_SECRET_ACCESS_KEY", "").replace("SECRET_", "")
    assert REDACTED in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "tokenizer_path=assets/tokenizer.mistral-v1",
        "--max-tokens-per-gpu 9216",
        "eos_token=</s> pad-token-id 5",
        "key_proj=device sa_k_layout=SEQ_MINOR",
        "--input-key prompt --label-key label --reward-key score",
        "HF_TOKEN=${HF_TOKEN}",
        "gs://bucket/path:1 http://host:8265/x",
        "use_token=true",
        "moe_quantize_token_all_gather=True",
        "step 3: 1234 tokens per second",
        "Decode reads all weights per token: it is bound by HBM",
    ],
)
def test_settings_that_only_look_like_secrets_stay(text: str) -> None:
    """Hiding a tokenizer's path would hide the launch."""
    assert redact(text) == text


def test_json_stays_json() -> None:
    """Quotes around a hidden value are kept."""
    assert redact('{"HF_TOKEN": "a b", "N": "1"}') == f'{{"HF_TOKEN": "{REDACTED}", "N": "1"}}'


def test_values_by_name() -> None:
    """A setting's value is judged by its key."""
    assert redact_value("HF_TOKEN", "anything at all") == REDACTED
    assert redact_value("steps", "30") == "30"
    assert redact_value("use_token", "true") == "true"
    assert not is_secret_name("tokenizer_path")


@given(st.text(max_size=200))
def test_redaction_is_idempotent(text: str) -> None:
    """Redacting what is redacted changes nothing, whatever the text."""
    once = redact(text)
    assert redact(once) == once


@given(
    st.sampled_from(["HF_TOKEN=", "--api-key=", "password: "]),
    st.text("abcXYZ0123456789_/+.-", min_size=6, max_size=40),
)
def test_no_secret_survives(name: str, secret: str) -> None:
    """Any value after a secret's name is gone."""
    if secret not in ("true", "false"):
        assert secret not in redact(f"run {name}{secret} --x 1").replace(REDACTED, "")

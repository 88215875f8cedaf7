"""Finds out what kind of model description a text is, and reads it. Nothing in it is executed."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tpuguru.base.errors import NothingToCheckError, UsageError
from tpuguru.base.location import Location
from tpuguru.base.suggest import did_you_mean
from tpuguru.launch.text_input import decode, read_bytes
from tpuguru.models.architecture import Architecture
from tpuguru.models.huggingface import architecture_from_huggingface
from tpuguru.models.known import find_known, known_models
from tpuguru.models.maxtext import architecture_from_maxtext, is_maxtext_model
from tpuguru.models.megatron_arguments import architecture_from_megatron, flags_from_words

_EXPAND = '\npython3 pretrain_gpt.py "${MODEL_ARGS[@]}"\n'


def read_model(source: str) -> tuple[Architecture, str]:
    """Return the architecture that ``source`` describes, and what it was read as.

    ``source`` is a file, ``-`` for stdin, or the name of a known model. UsageError for a file that is none of
    a Hugging Face config.json, a MaxText model YAML, or Megatron flags.
    """
    known = find_known(source)
    if known and not Path(source).is_file():
        return known.architecture, f"known model, {known.source}"
    if source != "-" and not Path(source).is_file():
        near = did_you_mean(source.lower(), [model.name for model in known_models()])
        hint = f"; did you mean the known model {' or '.join(near)}?" if near else ""
        raise UsageError(
            f"{source} is neither a file nor a known model",
            help=f"give a config.json, a MaxText YAML or a script with MODEL_ARGS{hint}",
        )
    text, _ = decode(read_bytes(source), source)
    return read_model_text(text, source)


def read_model_text(text: str, path: str) -> tuple[Architecture, str]:
    """Return the architecture that ``text`` describes, and what it was read as."""
    location = Location(path, 1)
    stem = "" if path == "-" else Path(path).stem
    if text.lstrip().startswith("{"):
        return architecture_from_huggingface(_json(text, path), name=_json_name(path), location=location), (
            "Hugging Face config.json"
        )
    if "--num-layers" in text or "MODEL_ARGS" in text:
        return architecture_from_megatron(_flags(text, path), name=stem, location=location), "Megatron flags"
    values = _yaml(text, path)
    if is_maxtext_model(values):
        return architecture_from_maxtext(values, name=stem, location=location), "MaxText model YAML"
    named = find_known(str(values.get("model_name", "")))
    if named:
        return named.architecture, f"MaxText configuration naming {named.name}, {named.source}"
    if "hidden_size" in values or "n_embd" in values:
        return architecture_from_huggingface(values, name=stem, location=location), "Hugging Face keys"
    raise NothingToCheckError(
        "this describes no model",
        location=location,
        help="give a Hugging Face config.json, a MaxText model YAML, or Megatron flags (--num-layers …)",
    )


def _json_name(path: str) -> str:
    # config.json says nothing; the folder it lies in is the model's name.
    parts = Path(path)
    return parts.resolve().parent.name if parts.stem == "config" else ("" if path == "-" else parts.stem)


def _json(text: str, path: str) -> Mapping[str, Any]:
    try:
        values = json.loads(text)
    except json.JSONDecodeError as error:
        location = Location(path, error.lineno, error.colno)
        raise UsageError(f"not valid JSON: {error.msg}", location=location) from None
    except RecursionError:
        raise UsageError(
            "the JSON is nested too deeply for a configuration", location=Location(path, 1)
        ) from None
    if not isinstance(values, dict):
        raise UsageError("a config.json is an object with keys", location=Location(path, 1))
    return values


def _yaml(text: str, path: str) -> Mapping[str, Any]:
    try:
        values = yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        location = Location(path, mark.line + 1, mark.column + 1) if mark else Location(path, 1)
        raise UsageError(f"not valid YAML: {error.problem}", location=location) from None
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise UsageError(f"not valid YAML: {error}", location=Location(path, 1)) from None
    return values if isinstance(values, dict) else {}


def _flags(text: str, path: str) -> dict[str, str]:
    from tpuguru.launch.reader import read_paste  # noqa: PLC0415 - only for scripts

    stripped = text.strip()
    script = f"python3 pretrain_gpt.py {stripped}" if stripped.startswith("--") else text + _EXPAND
    commands = read_paste(script, path).commands
    words = [[word.text for word in command.words if isinstance(word.text, str)] for command in commands]
    with_model = [line for line in words if "--num-layers" in line]
    if not with_model:
        raise UsageError("no Megatron flags (--num-layers …) in this script", location=Location(path, 1))
    return flags_from_words(with_model[-1], location=Location(path, 1))

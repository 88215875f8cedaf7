"""Recognise MaxText's commands and configuration files, and read them into launches."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tpuguru.facts.value import Unknown
from tpuguru.launch.arguments import Arguments, read_flags, read_key_values
from tpuguru.launch.comments import tie_comments
from tpuguru.launch.compiler_flags import VARIABLES, split_compiler_flags
from tpuguru.launch.model import Command, Launch, Note, Paste, Setting, Word

FRAMEWORK = "maxtext"
_FLAGS_KEY = "compile_xla_flags"  # the key through which train_compile takes compiler flags
_PYTHON = re.compile(r"(?:.*/)?python(?:3(?:\.\d+)?)?")
_VALUED_PYTHON_OPTIONS = ("-X", "-W", "--check-hash-based-pycs")

# Modules and scripts that start MaxText; old releases have MaxText/train.py, new ones maxtext.trainers.….
_MODULE = re.compile(
    r"(?:src\.)?maxtext(?:\.[a-z_0-9]+)*\.(?:train\w*|decode|elastic_train|dpo_utils|maxengine_server|train_tokenizer"
    r"|grpo_trainer|sft_trainer|\w*microbenchmark|inference_\w+)",
    re.IGNORECASE,
)
_SCRIPT = re.compile(
    r"(?:.*/)?maxtext/(?:[a-z_0-9]+/)*(?:train\w*|decode|elastic_train|maxengine_server|grpo_trainer|sft_trainer"
    r"|\w*microbenchmark)\.py",
    re.IGNORECASE,
)
_BENCHMARK = re.compile(r"(?:.*[./])?benchmark_runner(?:\.py)?")
_CONFIG_FILE = re.compile(r"[^=]+\.ya?ml")
# Keys that MaxText alone has; one of these and another common one make a pasted YAML a MaxText configuration.
_TELLING_KEYS = frozenset(
    {
        "base_config",
        "per_device_batch_size",
        "ici_fsdp_parallelism",
        "max_target_length",
        "base_emb_dim",
        "remat_policy",
        "base_num_decoder_layers",
        "dcn_data_parallelism",
        "decoder_block",
        "dataset_type",
        "logical_axis_rules",
        "ici_tensor_parallelism",
        "base_mlp_dim",
        "base_num_query_heads",
        "model_name",
        "enable_checkpointing",
        "steps",
    }
)


@dataclass(frozen=True, slots=True)
class _Entry:
    """Where in a command MaxText starts, and the words after it."""

    name: str
    rest: tuple[Word, ...]
    benchmark: bool = False


def recognises(command: Command) -> bool:
    """Tell whether the command starts MaxText, or is a MaxText configuration file."""
    if command.settings:
        return len(_TELLING_KEYS & {setting.key for setting in command.settings}) >= 2
    return _entry(command.words) is not None


def read(paste: Paste, command: Command) -> Launch:
    """Normalise the command: settings with places, duplicates marked, compiler flags split."""
    if command.settings:
        return _finished(paste, command, "", "", command.settings, ())
    entry = _entry(command.words)
    if entry is None:
        raise ValueError("the command does not start MaxText")
    if entry.benchmark:
        return _read_benchmark(paste, command, entry)
    arguments = read_key_values(entry.rest)
    config_path, notes = _config_path(arguments)
    settings = arguments.settings
    return _finished(paste, command, entry.name, config_path, settings, notes)


def _entry(words: Sequence[Word]) -> _Entry | None:
    """Find ``python3 [options] -m module`` or ``python3 [options] script``, or the script run by itself."""
    if not words:
        return None
    first = words[0].text
    index = 0
    if isinstance(first, Unknown) or _PYTHON.fullmatch(first):
        index = _after_python_options(words)
    if index >= len(words):
        return None
    module = words[index].text == "-m"
    index += module
    text = words[index].text if index < len(words) else None
    if not isinstance(text, str):
        return None
    if _BENCHMARK.fullmatch(text):
        return _Entry(text, tuple(words[index + 1 :]), benchmark=True)
    pattern = _MODULE if module else _SCRIPT
    if pattern.fullmatch(text) or (not module and re.fullmatch(r"train(?:_compile)?\.py", text)):
        return _Entry(text, tuple(words[index + 1 :]))
    return None


def _after_python_options(words: Sequence[Word]) -> int:
    index = 1
    while index < len(words):
        text = words[index].text
        if not isinstance(text, str) or not text.startswith("-") or text == "-m":
            break
        index += 2 if text in _VALUED_PYTHON_OPTIONS else 1
    return index


def _config_path(arguments: Arguments) -> tuple[str, tuple[Note, ...]]:
    """Return the configuration file's path, and notes on words that MaxText would not understand."""
    path, notes = "", []
    for word in arguments.positionals:
        text = word.text
        if not path and (isinstance(text, Unknown) or _CONFIG_FILE.fullmatch(text)):
            path = word.trace.shown if word.trace is not None else word.raw
            if isinstance(text, Unknown):
                notes.append(Note("unresolved-word", f"{word.raw}: {text.reason}", word.location))
        elif isinstance(text, Unknown):
            notes.append(
                Note("unresolved-word", f"{word.raw} may hold more settings: {text.reason}", word.location)
            )
        else:
            notes.append(
                Note(
                    "unexpected-word",
                    f"«{text[:60]}» is neither a configuration file nor key=value",
                    word.location,
                )
            )
    return path, tuple(notes)


def _read_benchmark(paste: Paste, command: Command, entry: _Entry) -> Launch:
    """Read ``benchmark_runner xpk --model_name=…``: its recipe's keys live in MaxText's own tables."""
    flags = read_flags(entry.rest).settings
    target_keys = {"device-type": "device_type", "num-slices": "num_slices"}
    target = tuple(replace(flag, key=target_keys[flag.key]) for flag in flags if flag.key in target_keys)
    settings = tuple(
        replace(flag, key=f"--{flag.key.replace('-', '_')}") for flag in flags if flag.key not in target_keys
    )
    note = Note(
        "benchmark-recipe",
        "the benchmark runner names a recipe; its settings are in MaxText's benchmarks, not in this paste",
        command.location,
    )
    launch = _finished(paste, command, entry.name, "", settings, (note,))
    return replace(launch, target=launch.target + target)


def _finished(
    paste: Paste,
    command: Command,
    entry_point: str,
    config_path: str,
    settings: tuple[Setting, ...],
    notes: tuple[Note, ...],
) -> Launch:
    environment = split_compiler_flags(command.environment, VARIABLES)
    own = split_compiler_flags(settings, (_FLAGS_KEY,))
    flags = environment + own
    everything = (*settings, *command.environment, *flags, *command.target)
    return Launch(
        framework=FRAMEWORK,
        entry_point=entry_point,
        settings=settings,
        environment=command.environment,
        compiler_flags=flags,
        config_path=config_path,
        target=command.target,
        wrappers=command.wrappers,
        variant=command.variant,
        location=command.location,
        comments=tie_comments(paste.comments, everything),
        notes=paste.notes + notes,
    )

"""The architecture: from the model configuration that the script sources, or as an option names it."""

from dataclasses import dataclass
from pathlib import PurePosixPath

from tpuguru.base.errors import UsageError
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.frameworks.relax.flags import Flags, NotKnownError
from tpuguru.launch.model import Launch
from tpuguru.models.architecture import Architecture

_SIZE_FLAG = "num-layers"


@dataclass(frozen=True, slots=True)
class Model:
    """An architecture, where it was read, and the name of the configuration that holds it.

    ``layers_told`` is false when the configuration leaves it to the checkpoint which layers are recurrent:
    parameters are then nearly right, the KV cache is not.
    """

    architecture: Architecture
    origin: Origin
    configuration: str = ""
    layers_told: bool = True


def model_of(launch: Launch, flags: Flags) -> Model:
    """Return the model that the flags describe, else the published one that ``--model`` names.

    Nothing is guessed from a file name. NotKnownError says which file is missing.
    """
    setting = flags.setting(_SIZE_FLAG)
    if setting is not None:
        name = PurePosixPath(setting.location.path).stem if setting.location else ""
        try:
            return _read(flags, name)
        except UsageError as error:
            raise NotKnownError(error.message, "a model configuration that Megatron accepts") from None
    named = next((target for target in launch.target if target.key == "model"), None)
    if named is not None and isinstance(named.text, str):
        return _published(named.text)
    missing = launch.config_path
    raise NotKnownError(
        f"the model configuration {missing} is not here" if missing else "no model configuration is read",
        f"{missing or 'the model configuration (models/<model>.sh)'}, or --model NAME",
    )


def _read(flags: Flags, name: str) -> Model:
    from tpuguru.models.megatron_arguments import architecture_from_megatron  # noqa: PLC0415

    architecture = architecture_from_megatron(flags.known_texts(), name=name)
    origin = flags.origin(_SIZE_FLAG)
    if "attention-output-gate" not in flags or "linear-num-value-heads" in flags:
        return Model(architecture, origin, name)
    # Gated attention without linear layers: Qwen3.5's configurations leave those to the checkpoint.
    from tpuguru.models.known import known_model  # noqa: PLC0415

    published = known_model(name)
    if published is None or _outline(published) != _outline(architecture):
        return Model(architecture, origin, name, layers_told=False)
    detail = f"{origin.detail}; its kinds of layers as published for {published.name}"
    return Model(published, Origin(origin.kind, detail, origin.location), name)


def _outline(architecture: Architecture) -> tuple[int, ...]:
    sizes = architecture.hidden, architecture.vocabulary, architecture.experts
    return len(architecture.layers), *sizes


def check_model_name(name: str) -> None:
    """Refuse the name of a model that is not known. UsageError with the nearest names."""
    from tpuguru.models.known import find_known, known_models  # noqa: PLC0415

    if find_known(name) is not None:
        return
    from tpuguru.base.suggest import did_you_mean  # noqa: PLC0415

    near = did_you_mean(name.lower(), [model.name for model in known_models()])
    raise UsageError(
        f"no known model is called {name!r}",
        help=f"did you mean {' or '.join(near)}?" if near else "`tpuguru model CONFIG` reads any other",
    )


def _published(name: str) -> Model:
    from tpuguru.models.known import known_model  # noqa: PLC0415

    architecture = known_model(name)
    if architecture is None:
        raise NotKnownError(f"no known model is called {name}", "--model NAME")
    return Model(architecture, Origin(OriginKind.OPTION, f"--model {name}: the published sizes"), name)

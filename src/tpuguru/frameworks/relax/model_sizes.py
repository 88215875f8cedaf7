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
    """An architecture, where it was read, and the name of the configuration that holds it."""

    architecture: Architecture
    origin: Origin
    configuration: str = ""


def model_of(launch: Launch, flags: Flags) -> Model:
    """Return the model that the flags describe, else the published one that ``--model`` names.

    Nothing is guessed from a file name. NotKnownError says which file is missing.
    """
    setting = flags.setting(_SIZE_FLAG)
    if setting is not None:
        name = PurePosixPath(setting.location.path).stem if setting.location else ""
        try:
            return Model(_from_flags(flags, name), flags.origin(_SIZE_FLAG), name)
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


def _from_flags(flags: Flags, name: str) -> Architecture:
    from tpuguru.models.megatron_arguments import architecture_from_megatron  # noqa: PLC0415

    return architecture_from_megatron(flags.known_texts(), name=name)


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

"""Import MaxText once, quietly, and keep it from reaching outside the run folder."""

import os
import sys
from types import SimpleNamespace
from typing import Any, NoReturn

from worker_kit.stand_ins import install_stand_ins

# Cloud clients that MaxText's metric uploaders import at start-up: 9 of 23 CPU seconds, no part of a step.
_TELEMETRY = (
    "google.cloud.aiplatform",
    "google.cloud.logging",
    "google.cloud.logging_v2",
    "google.cloud.monitoring_v3",
    "google.cloud.resourcemanager",
    "google.cloud.resourcemanager_v3",
)

_loaded: SimpleNamespace | None = None


def framework() -> SimpleNamespace:
    """Return MaxText's modules; the first call imports them."""
    global _loaded  # noqa: PLW0603 - one process, one framework
    if _loaded is None:
        _loaded = _load()
    return _loaded


def _load() -> SimpleNamespace:
    install_stand_ins(*_TELEMETRY)
    import jax
    from absl import flags
    from maxtext.configs import pyconfig
    from maxtext.trainers.pre_train import train, train_compile
    from maxtext.utils import accelerator_to_spec_map, max_utils, maxtext_utils, sharding

    flags.FLAGS(["worker"])  # tokamax reads absl flags, which must have been parsed
    _as_the_trainer_does(jax)
    _contain(jax, pyconfig, max_utils)
    return SimpleNamespace(
        jax=jax,
        pyconfig=pyconfig,
        train=train,
        train_compile=train_compile,
        accelerators=accelerator_to_spec_map,
        max_utils=max_utils,
        maxtext_utils=maxtext_utils,
        sharding=sharding,
    )


def _as_the_trainer_does(jax: Any) -> None:
    """Repeat what MaxText's train.py sets before anything else, for the same program."""
    jax.config.update("jax_default_prng_impl", "unsafe_rbg")
    arguments = os.environ.get("LIBTPU_INIT_ARGS", "")
    if "xla_tpu_spmd_rng_bit_generator_unsafe" not in arguments:
        os.environ["LIBTPU_INIT_ARGS"] = arguments + " --xla_tpu_spmd_rng_bit_generator_unsafe=true"


def _contain(jax: Any, pyconfig: Any, max_utils: Any) -> None:
    """Keep a configuration from starting servers, filling caches or writing outside the run folder."""
    max_utils.maybe_initialize_jax_distributed_system = lambda _raw_keys: None
    jax.config.update("jax_enable_compilation_cache", False)  # ``jax_cache_dir`` names a place of the user's
    if hasattr(pyconfig, "_handle_config_exception"):  # would write to /dev/termination-log and exit
        pyconfig._handle_config_exception = _reraise  # noqa: SLF001


def _reraise(error: BaseException) -> NoReturn:
    raise error


def versions() -> dict[str, str]:
    """Return the versions that decide what a compile says."""
    from importlib import metadata

    names = ("maxtext", "jax", "jaxlib", "libtpu", "flax", "tokamax", "qwix")
    found = {"python": sys.version.split()[0]}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found

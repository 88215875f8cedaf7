"""Jobs for tests: for the toy toolchain and for MaxText on a model of two narrow layers."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tpuguru.aot.job import AotJob, Target
from tpuguru.aot.toolchains import find_toolchain
from tpuguru.aot.toolchains.uv_toolchain import UvToolchain

KEY = "toy==1.0"
_DATA = """
framework = "toy"
version = "1.0"
root = ""
python = "3.12"
platform = "linux"
worker = "toy_worker"
stack = []
smoke = ["json"]
disk_bytes = 1
notice = "the toy belongs to nobody"
"""

_TINY = {
    "model_name": "qwen3-0.6b",
    "override_model_config": "True",
    "base_num_decoder_layers": "2",
    "base_emb_dim": "256",
    "base_mlp_dim": "512",
    "base_num_query_heads": "4",
    "base_num_kv_heads": "2",
    "vocab_size": "1024",
    "per_device_batch_size": "2",
    "max_target_length": "256",
    "attention": "flash",
    "enable_checkpointing": "False",
}


def write_data(folder: Path) -> None:
    """Write the toy toolchain's data: no packages at all."""
    home = folder / "toy-1.0"
    home.mkdir(parents=True)
    (home / "toolchain.toml").write_text(_DATA)
    (home / "requirements.txt").write_text("# nothing\n")


def use_data(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Let tpuguru find its toolchains in ``folder``."""
    patch.setattr("tpuguru.aot.toolchains.data.data_directory", lambda _name: folder)
    patch.setattr("tpuguru.aot.proofs.knowledge.data_directory", lambda _name: folder)


def install() -> None:
    """Install the toy toolchain and put the worker where its packages are."""
    toolchain = find_toolchain(KEY)
    assert isinstance(toolchain, UvToolchain)
    toolchain.install(lambda _message: None)
    site = next((toolchain.folder / "lib").glob("python*/site-packages"))
    shutil.copy(Path(__file__).with_name("toy_worker.py"), site)


def job(**settings: object) -> AotJob:
    """Return a job for the toy worker that does what ``settings`` say."""
    overrides = tuple((key, str(value)) for key, value in settings.items())
    return AotJob(KEY, Target("toy-4"), overrides)


def tiny_maxtext(**settings: object) -> AotJob:
    """Return a MaxText launch that compiles in seconds, with ``settings`` on top."""
    words = {**_TINY, **{key: str(value) for key, value in settings.items()}}
    return AotJob("maxtext==0.2.5", Target("v6e-4"), tuple(words.items()))


def with_settings(base: AotJob, **settings: object) -> AotJob:
    """Return the job with further settings."""
    extra = tuple((key, str(value)) for key, value in settings.items())
    return replace(base, overrides=(*base.overrides, *extra))

"""Which command of a paste a check by rehearsal runs, and what it says when it runs none."""

from pathlib import Path

import pytest

from tpuguru.base.errors import NothingToCheckError, TpuguruError, UsageError
from tpuguru.launch.reader import read_paste
from tpuguru.report.check.rehearsed.command import Rehearsable, is_program_of_ours, rehearsable

MAXTEXT = "python3 -m maxtext.trainers.pre_train.train maxtext/configs/base.yml steps=30"


def chosen(folder: Path, text: str) -> Rehearsable:
    """What would be run in a folder."""
    return rehearsable(read_paste(text, "launch.sh", folder=folder), "", folder)


def test_words_and_environment_are_those_of_the_script(tmp_path: Path) -> None:
    """Variables are expanded, exports and prefixes are taken along, what is around the command is noted."""
    found = chosen(
        tmp_path,
        "export XLA_FLAGS='--xla_a=1 --xla_b'\nLR=0.1\nSEED=7 python3 job.py --lr $LR 'two words'\n",
    )
    assert found.words == ("python3", "job.py", "--lr", "0.1", "two words")
    assert found.environment == {"XLA_FLAGS": "--xla_a=1 --xla_b", "SEED": "7"}
    assert (found.launch.framework, found.launch.entry_point) == ("jax", "job.py")


def test_variables_of_the_virtual_slice_and_unknown_ones_are_left_out(tmp_path: Path) -> None:
    """Both are said."""
    found = chosen(tmp_path, "export TPU_LIBRARY_PATH=/x HOST=$(hostname) A=1\npython job.py\n")
    assert found.environment == {"A": "1"}
    assert [note.split()[0] for note in found.notes] == ["TPU_LIBRARY_PATH", "HOST"]


def test_a_known_framework_is_preferred(tmp_path: Path) -> None:
    """Its launch keeps its settings; the script's other programs do not come first."""
    found = chosen(tmp_path, f"python prepare.py\n{MAXTEXT}\n")
    assert found.words[1:3] == ("-m", "maxtext.trainers.pre_train.train")
    assert found.launch.setting("steps") is not None


def test_another_train_py_is_not_maxtexts(tmp_path: Path) -> None:
    """A script of that name which is here and has nothing to do with MaxText is a program of its own."""
    script = tmp_path / "train.py"
    script.write_text("import jax\n")
    assert chosen(tmp_path, "python train.py 3").launch.framework == "jax"
    script.write_text("from MaxText import pyconfig\n")
    assert chosen(tmp_path, "python train.py 3").launch.framework == "maxtext"


@pytest.mark.parametrize(
    ("script", "ours"),
    [
        ("import jax.numpy as jnp", True),
        ("    from flax import nnx", True),
        ("import torch\nx = torch.ones(3, device='tpu:0')", True),
        ("import torch\nx = torch.ones(3, device='cuda')", False),
        ("# import jax", False),
        ("import jaxtyping", False),
    ],
)
def test_a_program_that_asks_for_a_tpu_is_told_by_its_text(
    tmp_path: Path, script: str, *, ours: bool
) -> None:
    """It is then rehearsed without being asked for; one that is not here, never."""
    paste = read_paste("python job.py\n", "launch.sh", folder=tmp_path)
    assert not is_program_of_ours(paste, tmp_path)
    (tmp_path / "job.py").write_text(script)
    assert is_program_of_ours(paste, tmp_path) is ours


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        ("python job.py --n $(nproc)", UsageError, "is known only when the script runs"),
        (
            "pip install jax\npython -m pip list",
            NothingToCheckError,
            "holds no command that runs a Python program",
        ),
        ("", NothingToCheckError, "holds no command"),
        ("ls -l", NothingToCheckError, "holds no command"),
        (
            "python3 -m relax.entrypoints.train --tensor-model-parallel-size 4",
            UsageError,
            "only TPUs can be virtual",
        ),
        (
            "steps: 3\nmodel_name: llama2-7b\nremat_policy: full\n",
            UsageError,
            "not the command that starts it",
        ),
    ],
)
def test_what_cannot_be_run_is_one_sentence(
    tmp_path: Path, text: str, kind: type[TpuguruError], sentence: str
) -> None:
    """Before anything is started."""
    path = "config.yml" if text.startswith("steps") else "launch.sh"
    paste = read_paste(text, path, folder=tmp_path)
    with pytest.raises(kind, match=sentence):
        rehearsable(paste, "", tmp_path)

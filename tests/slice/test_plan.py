"""Who owns the devices, guessed from the command and its script."""

from pathlib import Path

import pytest

from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.plan import uses_torch

BOTH = Interpreter(Path("python"), Path("libtpu.so"), {"jax": "0.12.0.1", "torch_tpu": "0.2.0"})
FEEDS_JAX = "import jax\nfrom torch.utils.data import DataLoader\nprint(jax.devices('tpu'))\n"
ON_TPU = "import torch\nx = torch.ones(4, device='tpu')\n"
MIXED = "import jax\nimport torch\nmodel = torch.nn.Linear(4, 4).to('tpu')\n"
OWN_PACKAGE = "from mine import main\nmain()\n"


@pytest.mark.parametrize(
    ("script", "torch"), [(FEEDS_JAX, False), (ON_TPU, True), (MIXED, True), (OWN_PACKAGE, False)]
)
def test_a_script_tells_whether_torch_is_on_the_tpu(tmp_path: Path, script: str, torch: bool) -> None:
    """JAX with torch's data loader owns all devices; torch on the TPU owns one a process."""
    path = tmp_path / "train.py"
    path.write_text(script)
    assert uses_torch(("python", str(path)), BOTH) is torch


@pytest.mark.parametrize(
    ("command", "torch"),
    [
        (("torchrun", "--nproc-per-node", "4", "mine"), True),
        (("python", "-m", "torch.distributed.run", "mine"), True),
        (("/envs/pytorch/bin/python", "-m", "maxtext.trainers.pre_train.train"), False),
    ],
)
def test_a_launcher_tells_where_no_script_does(command: tuple[str, ...], torch: bool) -> None:
    """The name of the interpreter's folder says nothing."""
    assert uses_torch(command, BOTH) is torch


def test_without_torch_tpu_nothing_is_torch(tmp_path: Path) -> None:
    """Torch alone cannot use a TPU."""
    path = tmp_path / "train.py"
    path.write_text(ON_TPU)
    assert not uses_torch(("python", str(path)), Interpreter(Path("python"), Path("libtpu.so"), {"jax": "1"}))

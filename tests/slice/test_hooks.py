"""Libraries that look for TPU hardware find the chips of the slice, and a server's word that it is ready is heard.

The libraries are stand-ins with the names, and the one function each, that the hooks answer in.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.plan import Processes, plan_ranks
from tpuguru.slice.ready import says_ready
from tpuguru.slice.settings import SliceSettings, tpu_slice

_TPU_INFO = """
import enum, collections
Info = collections.namedtuple("Info", "name")
class TpuChip(enum.Enum):
    V6E = Info("v6e")
    V7X = Info("7x")
def get_local_chips():
    return None, 0
"""
_RAY = """
class TPUAcceleratorManager:
    @staticmethod
    def get_current_node_num_accelerators():
        return 0
"""
_PROGRAM = """
import json, os
from ray._private.accelerators import tpu
from tpu_info import device
kind, chips = device.get_local_chips()
ray = tpu.TPUAcceleratorManager.get_current_node_num_accelerators()
told = [os.environ[name] for name in ("TPU_TOPOLOGY", "TPU_ACCELERATOR_TYPE", "SITE")]
print(json.dumps([kind.name, chips, ray, *told]))
"""


def install(folder: Path) -> None:
    for package in ("tpu_info", "ray/_private/accelerators"):
        (folder / package).mkdir(parents=True)
    (folder / "tpu_info" / "device.py").write_text(_TPU_INFO, encoding="utf-8")
    (folder / "ray" / "_private" / "accelerators" / "tpu.py").write_text(_RAY, encoding="utf-8")
    (folder / "sitecustomize.py").write_text('import os\nos.environ["SITE"] = "ran"\n', encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("v6e:2x2", ["V6E", 4, 4, "2x2", "v6e-4", "ran"]),
        ("v6e:4x4", ["V6E", 4, 4, "4x4", "v6e-16", "ran"]),
        ("tpu7x:2x2x1", ["V7X", 4, 4, "2x2x1", "tpu7x-8", "ran"]),
        ("v6e:1x1", ["V6E", 1, 1, "1x1", "v6e-1", "ran"]),
    ],
)
def test_libraries_find_the_chips_of_one_host(tmp_path: Path, name: str, found: list[object]) -> None:
    """Kind and count of chips, and a sitecustomize on the program's own PYTHONPATH runs as well."""
    install(tmp_path)
    settings = SliceSettings(slice=tpu_slice(name), library=Path("plugin.so"), libtpu=Path("libtpu.so"))
    interpreter = Interpreter(Path(sys.executable), Path("libtpu.so"), {"jax": "0.12.0.1"})
    [rank] = plan_ranks(settings, Processes.ONE, (sys.executable, "x.py"), interpreter)
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        env=rank.joins(os.environ | {"PYTHONPATH": str(tmp_path)}),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout) == found


def test_vllm_on_torchtpu_is_a_torch_program() -> None:
    """Its command mentions no torch, yet each of its processes has one device."""
    settings = SliceSettings(slice=tpu_slice("v6e:2x2"), library=Path("plugin.so"), libtpu=Path("libtpu.so"))
    versions = {"jax": "0.11.2", "torch_tpu": "0.2.0", "vllm_torchtpu": "0.29.0"}
    command = ("vllm", "serve", "model")
    [rank] = plan_ranks(settings, Processes.ONE, command, Interpreter(Path("p"), Path("l"), versions))
    assert rank.environment["TORCH_TPU_TOPOLOGY"] == "2,2,1"
    assert rank.environment["TPUGURU_SLICE_DEVICE"].startswith("env:")  # the rank that TorchTPU gives
    del versions["vllm_torchtpu"]
    [rank] = plan_ranks(settings, Processes.ONE, command, Interpreter(Path("p"), Path("l"), versions))
    assert rank.environment["TPUGURU_SLICE_DEVICE"] == ""


@pytest.mark.parametrize(
    ("line", "ready"),
    [
        ("(APIServer pid=2) INFO:     Application startup complete.", True),
        ("INFO:     Uvicorn running on http://0.0.0.0:8000 (Press CTRL+C to quit)", True),
        ('INFO:     127.0.0.1:40018 - "GET /health HTTP/1.1" 200 OK', True),
        ("The server is fired up and ready to roll!", True),
        ('INFO:     127.0.0.1:40018 - "GET /health HTTP/1.1" 503 Service Unavailable', False),
        ("INFO:     Waiting for application startup.", False),
        ("completed step: 3, loss: 0.1, ready for the next", False),
    ],
)
def test_a_server_says_that_it_is_ready(line: str, *, ready: bool) -> None:
    """The lines of the servers that people run; a training loop says nothing of the kind."""
    assert says_ready(line) is ready


@pytest.mark.parametrize(
    ("own", "given"),
    [("", "tpu,cpu"), ("cpu", "tpu,cpu"), ("tpu", "tpu"), ("cpu,tpu", "cpu,tpu")],
)
def test_the_users_platforms_are_kept_when_they_have_the_tpu(
    monkeypatch: pytest.MonkeyPatch, own: str, given: str
) -> None:
    """Some servers need the CPU beside the TPU, some refuse it: what the user says of the TPU is kept."""
    monkeypatch.setenv("JAX_PLATFORMS", own)
    settings = SliceSettings(slice=tpu_slice("v6e:1x1"), library=Path("plugin.so"), libtpu=Path("libtpu.so"))
    assert settings.environment()["JAX_PLATFORMS"] == given

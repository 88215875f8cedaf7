"""Tell torch_tpu, tpu_info and Ray which TPUs this machine would have; on a rehearsed program's PYTHONPATH.

They look for PCI devices or device files before they ask the TPU library. Runs in the user's Python, imports
nothing of ours, and then runs the sitecustomize that would have been found without it.
"""

import ctypes
import importlib.abc
import importlib.machinery
import importlib.util
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

_HERE = str(Path(__file__).parent)


def _answer_torch_tpu(module: ModuleType) -> None:
    """Give torch_tpu's scan the count and kind of chips of one host of the slice."""
    chip = os.environ["TPUGURU_SLICE_CHIP"]
    name = f"TPU {'v7' if chip == 'tpu7x' else chip}"
    devices = int(os.environ["TPUGURU_SLICE_HOST_DEVICES"])
    identifiers = {known: number for number, known in module._PCI_DEVICE_ID_TO_NAME.items()}  # noqa: SLF001
    topology = module._TOPOLOGY_BY_TPU_PCI_DEVICE_ID[identifiers[name]]  # noqa: SLF001
    module._scan_pci_tpus = lambda: (devices, topology)  # type: ignore[attr-defined]  # noqa: SLF001
    module.get_tpu_device_name = lambda: name  # type: ignore[attr-defined]


def _watch_transfers(module: ModuleType) -> None:
    """Say from whom a receive is, and that a send waits: the TPU library is told neither.

    TorchTPU's send waits, outside of the library, until its receiver has announced itself.
    """
    group = module.ProcessGroup
    receive, send = group.recv, group.send
    library = ctypes.CDLL(os.environ["TPU_LIBRARY_PATH"])

    def recv(self: Any, tensors: list[Any], source: int, tag: int) -> Any:  # noqa: ANN401 - torch's types
        library.TpuguruSliceReceives(f"group {self.group_name}, from rank {source}, tag {tag}".encode())
        try:
            return receive(self, tensors, source, tag)
        finally:
            library.TpuguruSliceReceives(b"")

    def send_watched(self: Any, tensors: list[Any], destination: int, tag: int) -> Any:  # noqa: ANN401
        library.TpuguruSliceWaits(f"send to rank {destination} (tag {tag})".encode())
        try:
            return send(self, tensors, destination, tag)
        finally:
            library.TpuguruSliceWaits(b"")

    group.recv, group.send = recv, send_watched


def _answer_tpu_info(module: ModuleType) -> None:
    """Give tpu_info's scan the chips of one host of the slice; it calls them «v6e», «7x»."""
    name = os.environ["TPUGURU_SLICE_CHIP"].removeprefix("tpu")
    chips = int(os.environ["TPUGURU_SLICE_HOST_CHIPS"])
    kind = next((each for each in module.TpuChip if each.value.name == name), None)
    if kind is not None:  # a chip that this tpu_info is too old for is not found, as on such a machine
        module.get_local_chips = lambda: (kind, chips)  # type: ignore[attr-defined]


def _answer_ray(module: ModuleType) -> None:
    """Give Ray, which counts device files, the chips of one host; it reads the rest in the environment."""
    chips = int(os.environ["TPUGURU_SLICE_HOST_CHIPS"])
    module.TPUAcceleratorManager.get_current_node_num_accelerators = staticmethod(lambda: chips)


_ANSWERS: dict[str, Callable[[ModuleType], None]] = {
    "ray._private.accelerators.tpu": _answer_ray,
    "tpu_info.device": _answer_tpu_info,
    "torch_tpu._internal.utils.hardware": _answer_torch_tpu,
}
if os.environ.get("TORCH_TPU_TOPOLOGY"):  # a program of TorchTPU; vLLM on JAX has process groups of its own
    _ANSWERS["torch.distributed.distributed_c10d"] = _watch_transfers


class _Finder(importlib.abc.MetaPathFinder):
    """Lets a module load as it does, and answers in it afterwards."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Find the module as without us."""
        answer = _ANSWERS.pop(name, None)
        spec = importlib.util.find_spec(name) if answer else None
        if answer is None or spec is None or spec.loader is None:
            return None
        load = spec.loader.exec_module

        def load_and_answer(module: ModuleType) -> None:
            load(module)
            answer(module)

        spec.loader.exec_module = load_and_answer  # type: ignore[method-assign]
        return spec


def _run_shadowed() -> None:
    """Run the next sitecustomize on the path: this file must not hide it."""
    rest = [entry for entry in sys.path if entry != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", rest)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if os.environ.get("TPUGURU_SLICE_CHIP"):
    sys.meta_path.insert(0, _Finder())
if os.environ.get("TPUGURU_SLICE_OBSERVED"):
    _observer: Any = importlib.util.spec_from_file_location("tpuguru_observe", f"{_HERE}/observe.py")
    _module = importlib.util.module_from_spec(_observer)
    _observer.loader.exec_module(_module)
    _module.observe(Path(os.environ["TPUGURU_SLICE_OBSERVED"]))
_run_shadowed()

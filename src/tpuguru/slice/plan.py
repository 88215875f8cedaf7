"""Which processes a rehearsal starts, and what each of them finds in its environment."""

import os
import re
import socket
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.hardware.slices import Slice
from tpuguru.slice.interpreter import Interpreter
from tpuguru.slice.settings import PREFIX, SliceSettings

HOOKS = Path(__file__).parent / "hooks"
_MOST_SCRIPT_BYTES = 1_000_000
_IMPORTS_TORCH = r"(?m)^\s*(?:import|from)\b[^#\n]*\btorch\b"
_IMPORTS_JAX = r"(?m)^\s*(?:import|from)\b[^#\n]*\bjax\b"
_TORCH_ON_TPU = r"""\btorch_tpu\b|\btorch\.tpu\b|\btpu_dist\b|(?:device\s*[=(]|\.to\()\s*["']tpu"""
_MAKES_A_GROUP = r"init_process_group|init_device_mesh"
_TORCH_LAUNCHERS = ("torchrun", "accelerate")
_TORCH_SERVERS = ("vllm_torchtpu",)
"""Packages that run another package's command (vLLM's) on TorchTPU; the command mentions no torch."""
_TORCH_LAUNCHER_MODULES = ("torch.distributed.run", "torch.distributed.launch", "accelerate.commands.launch")


class Processes(StrEnum):
    """How the slice's devices are spread over processes."""

    AUTO = "auto"
    ONE = "one"
    PER_HOST = "per-host"
    PER_DEVICE = "per-device"


@dataclass(frozen=True, slots=True)
class Rank:
    """One process: its number and the variables that differ from the user's own environment."""

    number: int
    environment: dict[str, str]

    def joins(self, environment: dict[str, str]) -> dict[str, str]:
        """Return the environment it gets where the program's is ``environment``.

        Our hooks are found before what is on the program's own PYTHONPATH.
        """
        paths = filter(None, [str(HOOKS), environment.get("PYTHONPATH", "")])
        return environment | self.environment | {"PYTHONPATH": os.pathsep.join(paths)}


_ADDRESSES = "TORCH_TPU_SLICEBUILDER_ADDRESSES"

MOST_RANKS = 64
"""Processes of JAX or torch take about 1 GiB each; more than this is a mistake on one machine."""


def plan_ranks(
    settings: SliceSettings,
    processes: Processes,
    command: tuple[str, ...],
    interpreter: Interpreter,
    *,
    port: int = 0,
) -> list[Rank]:
    """Return the ranks of a rehearsal. UsageError when there would be too many.

    ``port`` is that of the ranks' meeting point, 0 for any free one.
    """
    torch = uses_torch(command, interpreter)
    mode = choose_processes(settings.slice, processes, command, interpreter)
    ranks = _one(settings, port, torch=torch) if mode is Processes.ONE else _several(settings, mode, port)
    shared = _hook_environment(settings)
    if torch:
        shared |= _torch_environment(settings) | _launcher_environment(settings, command)
    return [replace(rank, environment=rank.environment | shared) for rank in ranks]


def choose_processes(
    tpu: Slice, processes: Processes, command: tuple[str, ...], interpreter: Interpreter
) -> Processes:
    """Return what «auto» comes to for this command. UsageError when there would be too many processes."""
    torch = uses_torch(command, interpreter)
    mode = _guess(command, torch=torch) if processes is Processes.AUTO else processes
    count = {Processes.PER_HOST: tpu.hosts, Processes.PER_DEVICE: tpu.devices}.get(mode, 1)
    if count > MOST_RANKS:
        raise UsageError(
            f"{tpu.name} would need {count} processes; {MOST_RANKS} is the most",
            help="--processes one has all its devices in one process",
        )
    return mode


def uses_torch(command: tuple[str, ...], interpreter: Interpreter) -> bool:
    """Say whether the command is a TorchTPU program; where JAX is installed too, the script tells."""
    if not interpreter.versions.get("torch_tpu"):
        return False
    if not interpreter.versions.get("jax") or Path(command[0]).name in _TORCH_LAUNCHERS:
        return True
    if any(interpreter.versions.get(server) for server in _TORCH_SERVERS):
        return True
    script = _script(command)
    if re.search(_IMPORTS_JAX, script):  # it may import torch too, for its data loader
        return bool(re.search(_TORCH_ON_TPU, script))
    return bool(re.search(_IMPORTS_TORCH, script)) or any("torch" in word for word in command[1:])


def _guess(command: tuple[str, ...], *, torch: bool) -> Processes:
    """JAX has one process for all devices; TorchTPU one a device, if the script makes a process group."""
    script = _script(command)
    grouped = torch and re.search(_MAKES_A_GROUP, script) and "spawn(" not in script
    return Processes.PER_DEVICE if grouped and not _launched(command) else Processes.ONE


def _launched(command: tuple[str, ...]) -> bool:
    """Say whether the command is one that starts the processes of a group itself."""
    return any(Path(word).name in _TORCH_LAUNCHERS or word in _TORCH_LAUNCHER_MODULES for word in command)


def _script(command: tuple[str, ...]) -> str:
    """Return the text of the first Python file on the command line."""
    for word in command:
        path = Path(word)
        if path.suffix == ".py" and path.is_file():
            with path.open("rb") as file:
                return file.read(_MOST_SCRIPT_BYTES).decode("utf-8", "replace")
    return ""


def _one(settings: SliceSettings, port: int, *, torch: bool) -> list[Rank]:
    """One process; each that it starts itself takes the device of the rank that TorchTPU gives it."""
    if torch:
        settings = replace(settings, device="env:CLOUD_TPU_TASK_ID=0")
    address = f"localhost:{port or free_port()}"
    return [Rank(0, settings.environment() | {"JAX_COORDINATOR_ADDRESS": address})]


def _several(settings: SliceSettings, mode: Processes, port: int) -> list[Rank]:
    count = settings.slice.hosts if mode is Processes.PER_HOST else settings.slice.devices
    meeting = port or free_port()
    if mode is Processes.PER_HOST:
        return [Rank(number, _host_environment(settings, number, count, meeting)) for number in range(count)]
    addresses = _addresses(count)
    return [
        Rank(number, _device_environment(settings, number, count, meeting, addresses))
        for number in range(count)
    ]


def _host_environment(settings: SliceSettings, number: int, count: int, port: int) -> dict[str, str]:
    """Return what a machine of the cloud would have: jax.distributed reads the TPU_* variables."""
    per_slice = count // settings.slice.slices
    return replace(settings, process=str(number)).environment() | {
        "TPU_WORKER_ID": str(number % per_slice),
        "TPU_WORKER_HOSTNAMES": ",".join(["localhost"] * per_slice),
        "MEGASCALE_NUM_SLICES": str(settings.slice.slices),
        "MEGASCALE_SLICE_ID": str(number // per_slice),
        "JAX_COORDINATOR_ADDRESS": f"localhost:{port}",
    }


def _device_environment(
    settings: SliceSettings, number: int, count: int, port: int, addresses: str
) -> dict[str, str]:
    """Return what torch.distributed and TorchTPU's process group «tpu_dist» expect of a launcher."""
    return replace(settings, device=str(number)).environment() | {
        "RANK": str(number),
        "WORLD_SIZE": str(count),
        "LOCAL_RANK": str(number),
        "LOCAL_WORLD_SIZE": str(count),
        "MASTER_ADDR": "localhost",
        "MASTER_PORT": str(port),
        _ADDRESSES: addresses,
        "JAX_COORDINATOR_ADDRESS": f"localhost:{port}",
    }


def _hook_environment(settings: SliceSettings) -> dict[str, str]:
    """Return the hook that answers who looks for TPUs on the PCI bus, and what it answers of one host."""
    tpu = settings.slice
    return {
        "TPU_TOPOLOGY": "x".join(str(size) for size in tpu.topology),  # Ray reads it
        f"{PREFIX}CHIP": tpu.chip.name,
        f"{PREFIX}HOST_CHIPS": str(tpu.devices // tpu.hosts // tpu.chip.devices_per_chip),
        f"{PREFIX}HOST_DEVICES": str(tpu.devices // tpu.hosts),
    }


def _addresses(count: int) -> str:
    return ",".join(f"localhost:{free_port()}" for _ in range(count))


def _launcher_environment(settings: SliceSettings, command: tuple[str, ...]) -> dict[str, str]:
    """Return the addresses that TorchTPU expects a launcher to have given all devices' processes."""
    return {_ADDRESSES: _addresses(settings.slice.devices)} if _launched(command) else {}


def _torch_environment(settings: SliceSettings) -> dict[str, str]:
    """Return the shape of the slice as torch_tpu wants it: three dimensions, and the devices of a chip."""
    chip = settings.slice.chip
    shape = [*settings.slice.topology, 1, 1][:3]
    per_chip = [chip.devices_per_chip] if chip.devices_per_chip > 1 else []
    return {"TORCH_TPU_TOPOLOGY": ",".join(str(size) for size in [*shape, *per_chip])}


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port

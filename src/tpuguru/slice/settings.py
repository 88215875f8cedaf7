"""Settings of a virtual slice, as the environment variables that the plugin and the frameworks read."""

import os
from dataclasses import dataclass
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.hardware.names import parse_slice
from tpuguru.hardware.slices import Slice

PREFIX = "TPUGURU_SLICE_"
_READING = Path(__file__).parent / "hooks" / "reading"


@dataclass(frozen=True, slots=True)
class SliceSettings:
    """One process's view of a slice. ``process`` and ``device`` are numbers or «env:NAME», or empty."""

    slice: Slice
    library: Path
    libtpu: Path
    records: Path | None = None
    values_socket: str = ""
    cache: Path | None = None
    process: str = ""
    device: str = ""
    hbm_bytes: int = 0
    steps: int = 0
    unknown_zero: bool = False
    unknown_repeats: int = 50

    def environment(self) -> dict[str, str]:
        """Return the variables to add to a process's environment."""
        topology = self.slice.topology_arguments()
        values = {
            "TOPOLOGY": self.slice.libtpu_topology,
            "COUNT": str(self.slice.slices),
            "HOST_BOUNDS": ",".join(str(bound) for bound in self.slice.host_bounds),
            "CHIP_CONFIG": str(topology["chip_config_name"]),
            "WRAP": ",".join("1" if ring else "0" for ring in _list(topology["wrap"])),
            "LIBTPU": str(self.libtpu),
            "RECORDS": str(self.records or ""),
            "VALUES": self.values_socket,
            "CACHE": str(self.cache or ""),
            "PROCESS": self.process,
            "DEVICE": self.device,
            "HBM_BYTES": str(self.hbm_bytes or ""),
            "STEPS": str(self.steps or ""),
            "UNKNOWN_ZERO": "1" if self.unknown_zero else "",
            "UNKNOWN_REPEATS": str(self.unknown_repeats),
            "READING": str(_READING),
        }
        ours = {PREFIX + name: value for name, value in values.items()}
        return ours | {
            "TPU_LIBRARY_PATH": str(self.library),
            "TPU_SKIP_MDS_QUERY": "1",
            "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
            "JAX_PLATFORMS": jax_platforms(),
            "JAX_FORCE_TPU_INIT": "1",  # JAX prepares itself as on a machine with TPUs, jax.distributed too
            "TPU_ACCELERATOR_TYPE": accelerator_type(self.slice),
            "TPU_NAME": "virtual-slice",  # vLLM and Ray would ask the cloud for it
            "TPU_WORKER_HOSTNAMES": "localhost",
            "TPU_WORKER_ID": "0",
            "MEGASCALE_NUM_SLICES": "1",  # one process plays all slices; plan.py says otherwise for several
            "MEGASCALE_SLICE_ID": "0",
        }


def jax_platforms() -> str:
    """Return the user's own JAX_PLATFORMS when it has the TPU, else TPU and CPU.

    vLLM needs the CPU beside the TPU; SGLang refuses to start when it is named.
    """
    own = os.environ.get("JAX_PLATFORMS", "")
    return own if "tpu" in own.split(",") else "tpu,cpu"


def accelerator_type(tpu: Slice) -> str:
    """Return the cloud's name of one slice, as its machines have it in TPU_ACCELERATOR_TYPE: «v6e-16»."""
    name = tpu.name.split("x", 1)[1] if tpu.slices > 1 and tpu.name[0].isdigit() else tpu.name
    return name.replace("v5e-", "v5litepod-")


def tpu_slice(name: str) -> Slice:
    """Return the TPU slice that ``name`` names. UsageError for an unknown one, and for GPUs."""
    found = parse_slice(name)
    if found.chip.kind != "tpu":
        raise UsageError(
            f"{name} is not a TPU slice; only TPUs can be virtual", help="name one such as v6e:2x2"
        )
    return found


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []

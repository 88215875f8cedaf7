"""Which processes a rehearsal starts, and what each of them finds in its environment."""

import socket
from dataclasses import dataclass, replace
from enum import StrEnum

from tpuguru.base.errors import UsageError
from tpuguru.slice.settings import SliceSettings


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


MOST_RANKS = 64
"""Processes of JAX or torch take about 1 GiB each; more than this is a mistake on one machine."""


def plan_ranks(settings: SliceSettings, processes: Processes, *, port: int = 0) -> list[Rank]:
    """Return the ranks of a rehearsal. UsageError when there would be too many.

    ``port`` is that of the ranks' meeting point, 0 for any free one.
    """
    mode = Processes.ONE if processes is Processes.AUTO else processes
    if mode is Processes.ONE:
        return [
            Rank(0, settings.environment() | {"JAX_COORDINATOR_ADDRESS": f"localhost:{port or free_port()}"})
        ]
    count = settings.slice.hosts if mode is Processes.PER_HOST else settings.slice.devices
    if count > MOST_RANKS:
        raise UsageError(
            f"{settings.slice.name} would need {count} processes; {MOST_RANKS} is the most",
            help="--processes one has all its devices in one process",
        )
    address = f"localhost:{port or free_port()}"
    per_host = mode is Processes.PER_HOST
    return [
        Rank(number, _rank_environment(settings, number, count, address, per_host=per_host))
        for number in range(count)
    ]


def _rank_environment(
    settings: SliceSettings, number: int, count: int, address: str, *, per_host: bool
) -> dict[str, str]:
    """Return what a machine of the cloud would have: jax.distributed reads the TPU_* variables."""
    placed = replace(settings, process=str(number)) if per_host else replace(settings, device=str(number))
    per_slice = count // settings.slice.slices
    return placed.environment() | {
        "TPU_WORKER_ID": str(number % per_slice),
        "TPU_WORKER_HOSTNAMES": ",".join(["localhost"] * per_slice),
        "MEGASCALE_NUM_SLICES": str(settings.slice.slices),
        "MEGASCALE_SLICE_ID": str(number // per_slice),
        "JAX_COORDINATOR_ADDRESS": address,
    }


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("localhost", 0))
        port: int = probe.getsockname()[1]
        return port

"""A budget: named parts in bytes, each with the formula it came from."""

from dataclasses import dataclass
from enum import StrEnum


class Place(StrEnum):
    """Where bytes live."""

    GPU = "gpu"  # in PyTorch's allocator
    GPU_OUTSIDE_TORCH = "gpu, outside PyTorch"
    HOST = "host"  # of one process


@dataclass(frozen=True, slots=True)
class BudgetPart:
    """Bytes of one purpose. ``formula`` has the numbers filled in; ``source`` says who found it.

    Activations come as one part for each ``kind`` of layer part («softmax attention», «routed experts», …).
    """

    name: str
    bytes: int
    place: Place
    formula: str
    source: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Budget:
    """The memory of the fullest GPU of a run. ``stage`` is its pipeline stage, counted from 0."""

    parts: tuple[BudgetPart, ...]
    stage: int = 0

    def bytes_of(self, name: str) -> int:
        """Return the bytes of all parts of that name, 0 when the budget has none."""
        return sum(part.bytes for part in self.parts if part.name == name)

    def bytes_in(self, *places: Place) -> int:
        """Return the bytes of all parts that live in one of ``places``."""
        return sum(part.bytes for part in self.parts if part.place in places)

    @property
    def gpu_bytes(self) -> int:
        """Everything on the GPU, with what PyTorch does not see."""
        return self.bytes_in(Place.GPU, Place.GPU_OUTSIDE_TORCH)

    @property
    def torch_bytes(self) -> int:
        """What ``torch.cuda.max_memory_allocated`` would show."""
        return self.bytes_in(Place.GPU)

    @property
    def host_bytes(self) -> int:
        """Host memory of one training process."""
        return self.bytes_in(Place.HOST)

    @property
    def static_bytes(self) -> int:
        """Weights, gradients and optimizer state on the GPU."""
        return sum(self.bytes_of(name) for name in ("weights", "gradients", "optimizer"))

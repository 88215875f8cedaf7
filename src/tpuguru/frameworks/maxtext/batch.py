"""What is loaded and what is trained on, per optimizer step.

From ``calculate_global_batch_sizes`` of MaxText's configs/types.py (0.2.5): below one sequence a device, each
device still loads one; the loss keeps the first ``micro`` sequences, so the rest of the data is dropped.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Batch:
    """Sequences per optimizer step."""

    per_device: float
    micro_trained: int
    global_trained: int
    global_loaded: int

    @property
    def dropped_fraction(self) -> float:
        """Share of what is loaded that is never trained on."""
        return 1 - self.global_trained / self.global_loaded if self.global_loaded else 0.0


def batch_of(per_device: float, devices: int, accumulation_steps: int, expansion_factor: float) -> Batch:
    """Return the batch sizes for ``devices`` over all slices.

    ``expansion_factor`` is ``expansion_factor_real_data``; zero or less: every host loads its share.
    """
    expansion = expansion_factor if expansion_factor > 0 else 1
    loaded = devices * expansion if per_device < 1 else int(devices * per_device * expansion)
    trained = int(devices * per_device)
    return Batch(
        per_device=per_device,
        micro_trained=trained,
        global_trained=trained * accumulation_steps,
        global_loaded=int(loaded * accumulation_steps),
    )

"""Loaded and trained batch sizes, against the published figures."""

import pytest

from tpuguru.frameworks.maxtext.batch import batch_of


@pytest.mark.parametrize(
    ("per_device", "devices", "accumulation", "expansion", "loaded", "trained"),
    [
        (3, 8, 1, -1, 24, 24),
        (0.125, 512, 1, -1, 512, 64),  # the published 128k recipe: 448 of 512 sequences are dropped
        (2, 128, 4, -1, 1024, 1024),
        (1.5, 8, 1, -1, 12, 12),
        (2, 8, 1, 2, 32, 16),
    ],
)
def test_batch_sizes(
    per_device: float, devices: int, accumulation: int, expansion: float, loaded: int, trained: int
) -> None:
    """Each row is what MaxText computes for these keys."""
    batch = batch_of(per_device, devices, accumulation, expansion)
    assert (batch.global_loaded, batch.global_trained) == (loaded, trained)
    assert batch.dropped_fraction == pytest.approx(1 - trained / loaded)

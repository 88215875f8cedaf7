"""Does a budget fit a device? An estimate is not a measurement, so there is a band in between."""

from enum import StrEnum

# The estimator is within a few percent of published peaks (docs/memory-estimator.md), but NCCL, fragmentation
# and batch composition add what no formula sees; reference part D.8 therefore asks for two thresholds.
FITS_BELOW = 0.85
EXCEEDS_ABOVE = 0.97


class Fit(StrEnum):
    """The verdict."""

    FITS = "fits"
    BORDERLINE = "borderline"
    EXCEEDS = "does not fit"


def fit(needed: int, available: int) -> Fit:
    """Return whether ``needed`` bytes fit into a device with ``available`` bytes."""
    share = needed / available
    if share < FITS_BELOW:
        return Fit.FITS
    return Fit.BORDERLINE if share <= EXCEEDS_ABOVE else Fit.EXCEEDS

"""Which slice shapes exist, and which one a number of chips means."""

from collections.abc import Iterator
from functools import cache
from math import prod

from tpuguru.hardware.chips import Chip

type Shape = tuple[int, ...]


def shape_text(shape: Shape) -> str:
    """Render a shape the way people write it: ``4x4x8``."""
    return "x".join(str(size) for size in shape)


def is_valid(chip: Chip, shape: Shape) -> bool:
    """Tell whether a slice of this chip can have ``shape``, dimensions in ascending order (but 2x2x1)."""
    topologies = chip.topologies
    if shape in topologies.valid:
        return True
    step = topologies.multiple_of
    return (
        step > 0
        and len(shape) == topologies.dimensions
        and all(size >= step and size % step == 0 for size in shape)
        and list(shape) == sorted(shape)
        and prod(shape) <= topologies.most_chips
        and shape[-1] <= topologies.longest
    )


def shapes_of(chip: Chip, chips: int) -> list[Shape]:
    """Return every valid shape of exactly ``chips`` chips, the most cubic one first.

    The most cubic is the one that a size alone means («v5p-768» is 4x8x12): it has the largest bisection.
    The test suite compares that rule with every shape of MaxText's table of slices.
    """
    found = {shape for shape in chip.topologies.valid if prod(shape) == chips}
    found.update(_multiples(chip, chips))
    return sorted(found, key=lambda shape: (sum(shape), shape))


def _multiples(chip: Chip, chips: int) -> Iterator[Shape]:
    topologies = chip.topologies
    step = topologies.multiple_of
    if not step or chips > topologies.most_chips or chips % step**topologies.dimensions:
        return
    for factors in _ascending_factors(chips // step**topologies.dimensions, topologies.dimensions):
        if step * factors[-1] <= topologies.longest:
            yield tuple(step * factor for factor in factors)


def _ascending_factors(number: int, count: int, least: int = 1) -> Iterator[Shape]:
    if count == 1:
        if number >= least:
            yield (number,)
        return
    factor = least
    while factor**count <= number:
        if number % factor == 0:
            for rest in _ascending_factors(number // factor, count - 1, factor):
                yield (factor, *rest)
        factor += 1


def nearest_sizes(chip: Chip, chips: int) -> list[int]:
    """Return the valid sizes, in chips, next below and next above ``chips``."""
    sizes = _sizes(chip)
    below = [size for size in sizes if size <= chips]
    above = [size for size in sizes if size > chips]
    return [*below[-1:], *above[:1]]


@cache
def _sizes(chip: Chip) -> tuple[int, ...]:
    topologies = chip.topologies
    sizes = {prod(shape) for shape in topologies.valid}
    if topologies.multiple_of:
        step = topologies.multiple_of**topologies.dimensions
        multiples = range(step, topologies.most_chips + 1, step)
        sizes.update(size for size in multiples if next(_multiples(chip, size), None))
    return tuple(sorted(sizes))


def nearest_shapes(chip: Chip, shape: Shape) -> list[Shape]:
    """Return valid shapes close to an impossible one: the same chips first, then the next sizes."""
    chips = prod(shape)
    same = shapes_of(chip, chips)
    if same:
        return same[:3]
    return [shapes_of(chip, size)[0] for size in nearest_sizes(chip, chips)]

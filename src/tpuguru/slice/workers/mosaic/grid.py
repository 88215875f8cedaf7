"""Run a kernel over its grid: which block of each array it sees at which point, and when it goes back."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .libraries import Foreign, np
from .translate import Clock, Function
from .types import uninitialised

type Index = Callable[..., Sequence[Foreign]]
"""From a grid point (and the prefetched scalars) to the block that is wanted."""


@dataclass(frozen=True)
class WindowPlan:
    """How a kernel sees one array. Without ``index`` it sees the whole array."""

    shape: tuple[int, ...]
    """Of the kernel's own reference: the block, possibly without dimensions of one."""
    dtype: Foreign
    block: tuple[int, ...] = ()
    index: Index | None = None
    by_element: bool = False
    """The index counts elements, not blocks."""
    padding: tuple[int, ...] = ()
    """Elements before the array that an index by element may reach."""


@dataclass
class Window:
    """The block of one array that the kernel works on now."""

    plan: WindowPlan
    array: Foreign
    written: bool
    at: tuple[int, ...] | None = None
    buffer: Foreign = None

    def move(self, point: tuple[Foreign, ...], prefetched: Sequence[Foreign]) -> Foreign:
        """Return the kernel's reference for a grid point; a block is fetched or written when it changes."""
        if self.plan.index is None:
            return self.array.reshape(self.plan.shape)
        wanted = tuple(int(each) for each in self.plan.index(*point, *prefetched))
        if wanted != self.at:
            self.flush()
            self.at = wanted
            self.buffer = self._fetch()
        return self.buffer.reshape(self.plan.shape)

    def _fetch(self) -> Foreign:
        """Return an input's block, or an output's, which nobody has written yet."""
        inside, valid = self._region()
        if not self.written and all(
            part == slice(0, size) for part, size in zip(valid, self.plan.block, strict=True)
        ):
            return self.array[inside].copy()
        block = uninitialised(self.plan.block, self.plan.dtype)
        if not self.written:
            block[valid] = self.array[inside]
        return block

    def flush(self) -> None:
        """Write an output's block back."""
        if self.written and self.at is not None:
            inside, valid = self._region()
            self.array[inside] = self.buffer[valid]

    def _region(self) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
        """Return the block's place in the array and the part of the block that lies inside it."""
        assert self.at is not None  # noqa: S101 - called once it was moved
        padding = self.plan.padding or (0,) * len(self.at)
        inside, valid = [], []
        for at, size, whole, before in zip(self.at, self.plan.block, self.array.shape, padding, strict=True):
            start = at - before if self.plan.by_element else at * size
            first, end = min(max(start, 0), whole), min(max(start + size, 0), whole)
            inside.append(slice(first, end))
            valid.append(slice(first - start, end - start) if end > first else slice(0, 0))
        return tuple(inside), tuple(valid)


@dataclass(frozen=True)
class GridPlan:
    """A translated kernel."""

    body: Function
    seconds: float
    """About how long one grid point takes."""
    clock: Clock
    bounds: list[int]
    """Sizes of the grid; negative where an argument says it. Filled in for the body before each run."""
    static_bounds: tuple[int, ...]
    prefetched: list[WindowPlan]
    inputs: list[WindowPlan]
    outputs: list[WindowPlan]
    scratch: list[tuple[tuple[int, ...], Foreign]]
    output_shapes: tuple[tuple[int, ...], ...]
    aliases: dict[int, int] = field(default_factory=dict)
    """Outputs that lie in the memory of an argument."""

    @property
    def dynamic(self) -> int:
        """The number of grid sizes that come as arguments."""
        return sum(1 for bound in self.static_bounds if bound < 0)

    @property
    def points(self) -> int:
        """The number of grid points that is known before it runs."""
        return math.prod(bound for bound in self.static_bounds if bound > 0)

    def run(self, arguments: Sequence[Foreign]) -> list[Foreign]:
        """Return the outputs."""
        sizes = iter(arguments[: self.dynamic])
        self.bounds[:] = [bound if bound >= 0 else int(next(sizes)) for bound in self.static_bounds]
        arrays = [*arguments[: self.dynamic], *self._own(arguments[self.dynamic :])]
        results = [
            arrays[self.aliases[i]] if i in self.aliases else uninitialised(shape, plan.dtype)
            for i, (shape, plan) in enumerate(zip(self.output_shapes, self.outputs, strict=True))
        ]
        self._run_points(arrays[self.dynamic :], results)
        return results

    def _own(self, arguments: Sequence[Foreign]) -> list[Foreign]:
        """Return copies that may be written, of the kernel's own types: it knows no unsigned numbers."""
        plans = (*self.prefetched, *self.inputs)
        return [np.array(each).view(plan.dtype) for each, plan in zip(arguments, plans, strict=True)]

    def _run_points(self, arrays: list[Foreign], results: list[Foreign]) -> None:
        scalars = [array.reshape(plan.shape) for array, plan in zip(arrays, self.prefetched, strict=False)]
        given = arrays[len(self.prefetched) :]
        windows = [
            *(Window(plan, array, written=False) for plan, array in zip(self.inputs, given, strict=True)),
            *(Window(plan, array, written=True) for plan, array in zip(self.outputs, results, strict=True)),
        ]
        scratch = [uninitialised(*each) for each in self.scratch]
        with np.errstate(all="ignore"):
            for place in np.ndindex(*self.bounds):
                self.clock.check()
                point = tuple(np.int32(each) for each in place)
                blocks = [window.move(point, scalars) for window in windows]
                self.body(*point, *scalars, *blocks, *scratch)
        for window in windows:
            window.flush()

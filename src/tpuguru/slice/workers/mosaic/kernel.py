"""A TPU custom call: its kernel, parsed and translated, or the reason why it is not interpreted."""

import base64
import json
import operator
import re
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from . import arithmetic, control, functions, memory, products, transfers, vectors
from .grid import GridPlan, Index, WindowPlan
from .libraries import Foreign, Refusal, ir, np
from .translate import Clock, Function, Translator
from .types import integers, memory_space, shape_and_dtype

__all__ = ["FAMILIES", "Kernel"]

FAMILIES = (arithmetic, control, functions, memory, products, transfers, vectors)
"""Importing them fills the tables of operations."""

_MOST_SECONDS = 20.0


class Kernel:
    """A kernel that can be run. Making one raises Refusal when it cannot be interpreted."""

    def __init__(self, config: str, results: list[Foreign], aliases: dict[int, int]) -> None:
        """Read the custom call's configuration; ``results`` are its types."""
        told = _parse_json(config)
        call = told.get("custom_call_config", {})
        if told.get("device_type", "").endswith("SPARSECORE"):
            raise Refusal("it runs on the SparseCore")
        if call.get("has_communication"):
            raise Refusal("it speaks to other devices")
        module = _parse_module(base64.b64decode(call.get("body", "")))
        main = _main(module)
        self.name = str(ir.StringAttr(main.attributes["sym_name"]).value)
        self._clock = Clock()
        self._lock = threading.Lock()  # XLA calls it for each device on a thread of its own
        self._results = [shape_and_dtype(kind) for kind in results]
        self._plan = _plan(module, main, self._clock, [shape for shape, _ in self._results], aliases)
        self._require_small()

    def _require_small(self) -> None:
        seconds = self._plan.points * self._plan.seconds
        if seconds > _MOST_SECONDS:
            raise Refusal(f"its {self._plan.points} grid points would take {seconds:.0f} s to interpret")

    def __call__(self, *arguments: Foreign) -> tuple[Foreign, ...]:
        """Run it; Refusal when it takes more than 20 s of the processor."""
        with self._lock:
            self._clock.allow(_MOST_SECONDS)
            outputs = self._plan.run(arguments)
        pairs = zip(outputs, self._results, strict=True)
        return tuple(np.ascontiguousarray(each).view(dtype).reshape(shape) for each, (shape, dtype) in pairs)


def _parse_json(config: str) -> dict[str, Any]:
    """Read the configuration; TorchTPU's has a comma after the last member."""
    told: dict[str, Any] = json.loads(re.sub(r",(\s*[}\]])", r"\1", config))
    return told


def _parse_module(body: bytes) -> Foreign:
    """Parse a serialised kernel and bring it to this jaxlib's version of the dialect."""
    tpu = import_module("jax._src.lib").tpu
    context = import_module("jax._src.interpreters.mlir").make_ir_context()
    tpu.register_dialect(context)
    context.allow_unregistered_dialects = True
    with context, ir.Location.unknown():
        module = ir.Module.parse(body)
        passes = import_module("jaxlib.mlir.passmanager").PassManager
        passes.parse("builtin.module(mosaic-serde{serialize=false})").run(module.operation)
        return module


def _main(module: Foreign) -> Foreign:
    """Return the kernel's function: the one that says on what kind of core it runs."""
    found = [op.operation for op in module.body.operations if op.operation.name == "func.func"]
    kernels = [op for op in found if "tpu.core_type" in op.attributes or "iteration_bounds" in op.attributes]
    if len(kernels) != 1:
        raise Refusal(f"it has {len(kernels)} kernel functions")
    return kernels[0]


def _plan(
    module: Foreign, main: Foreign, clock: Clock, results: list[tuple[int, ...]], aliases: dict[int, int]
) -> GridPlan:
    attributes = main.attributes
    bounds = integers(attributes["iteration_bounds"]) if "iteration_bounds" in attributes else ()
    grid = list(bounds)
    translated = _functions(module, main, clock, grid)
    translator = Translator(translated, clock, grid)
    body = translator.function(main)
    kinds = [argument.type for argument in main.regions[0].blocks[0].arguments][len(bounds) :]
    prefetched = _count(attributes, "scalar_prefetch")
    scratch = _count(attributes, "scratch_operands")
    windowed = kinds[prefetched : len(kinds) - scratch]
    windows = _windows(attributes, windowed, translated)
    split = len(windowed) - len(results)
    return GridPlan(
        body,
        translator.seconds,
        clock,
        grid,
        tuple(bound if bound >= 0 else -1 for bound in bounds),
        [_whole(kind) for kind in kinds[:prefetched]],
        windows[:split],
        windows[split:],
        [shape_and_dtype(kind) for kind in kinds[len(kinds) - scratch :]],
        tuple(results),
        aliases,
    )


def _count(attributes: Foreign, name: str) -> int:
    return int(attributes[name].value) if name in attributes else 0


def _functions(module: Foreign, main: Foreign, clock: Clock, grid: list[int]) -> dict[str, Function]:
    """Translate the functions beside the kernel: they say which blocks it sees."""
    translated: dict[str, Function] = {}
    for each in module.body.operations:
        operation = each.operation
        if operation.name == "func.func" and operation != main:
            name = str(ir.StringAttr(operation.attributes["sym_name"]).value)
            translated[name] = Translator(translated, clock, grid).function(operation)
    return translated


def _whole(kind: Foreign) -> WindowPlan:
    return WindowPlan(*shape_and_dtype(kind))


def _windows(attributes: Foreign, kinds: list[Foreign], functions: dict[str, Function]) -> list[WindowPlan]:
    if "window_params" not in attributes:
        return [_whole(kind) for kind in kinds]
    parameters = list(attributes["window_params"])
    return [_window(each, kind, functions) for each, kind in zip(parameters, kinds, strict=True)]


_UNDERSTOOD = {"transform_indices", "window_bounds", "window_kind", "pipeline_mode", "revisit_mode"}


def _window(parameters: Foreign, kind: Foreign, functions: dict[str, Function]) -> WindowPlan:
    names = {each.name if hasattr(each, "name") else each for each in parameters}
    if names - _UNDERSTOOD:
        raise Refusal(f"window parameter {min(names - _UNDERSTOOD)}")
    shape, dtype = shape_and_dtype(kind)
    if "transform_indices" not in names:
        if memory_space(kind) in ("any", "hbm", "semaphore_mem"):
            return _whole(kind)
        raise Refusal("a window that nothing places")
    block = integers(parameters["window_bounds"]) if "window_bounds" in names else shape
    window = str(parameters["window_kind"]) if "window_kind" in names else ""
    low = re.search(r"element_window<\[([\d, ]*)\]", window)
    if window and low is None:
        raise Refusal(f"window kind {window}")
    padding = tuple(int(each) for each in re.findall(r"\d+", low[1])) if low else ()
    return WindowPlan(
        shape, dtype, block, _index(parameters["transform_indices"], functions), low is not None, padding
    )


def _index(attribute: Foreign, functions: dict[str, Function]) -> Index:
    """Return the function that places a window: of the module, or an affine map of the grid point."""
    if not isinstance(attribute, ir.AffineMapAttr):
        return functions[str(attribute.value)]
    terms = list(attribute.value.results)
    return lambda *point: [_affine(term, point) for term in terms]


_AFFINE: dict[str, Callable[[int, int], int]] = {
    "AffineAddExpr": operator.add,
    "AffineMulExpr": operator.mul,
    "AffineModExpr": operator.mod,
    "AffineFloorDivExpr": operator.floordiv,
    "AffineCeilDivExpr": lambda left, right: -(-left // right),
}


def _affine(term: Foreign, point: tuple[Foreign, ...]) -> int:
    if isinstance(term, ir.AffineConstantExpr):
        return int(term.value)
    if isinstance(term, ir.AffineDimExpr):
        return int(point[term.position])
    return _AFFINE[type(term).__name__](_affine(term.lhs, point), _affine(term.rhs, point))

"""A StableHLO module: what its outputs depend on, and without the operations that only a TPU has."""

from collections.abc import Iterator
from importlib import import_module

from .elements import Foreign
from .host_calls import HostCalls
from .linear_algebra import compute_decompositions
from .mosaic_calls import interpret_kernels
from .python_calls import TARGET, PythonCalls

# Custom calls that XLA:CPU understands, or that its partitioner takes away.
_KEPT_CALLS = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "TopK", "mhlo.topk", TARGET}
# Custom calls that only say where a value lives.
_PLACEMENT_CALLS = {"annotate_device_placement", "MoveToHost", "MoveToDevice"}
# What is in memory that nobody has written yet: anything will do.
_ALLOCATION_CALL = "AllocateBuffer"

type Dependencies = frozenset[int]
"""What a value depends on: arguments by number, after them host callbacks by number, and below zero obstacles
(why it can never be known)."""


def _but_first(count: int, depends: Dependencies) -> Dependencies:
    return frozenset(number for number in depends if not 0 <= number < count)


class Module:
    """A StableHLO module: what its outputs depend on, and without the operations that only a TPU has."""

    def __init__(self, code: bytes, width: int) -> None:
        """Parse the portable bytecode that the framework sent, for a program on ``width`` devices."""
        self.ir = import_module("jaxlib.mlir.ir")
        self.stablehlo = import_module("jaxlib.mlir.dialects.stablehlo")
        self.func = import_module("jaxlib.mlir.dialects.func")
        self.context = import_module("jax._src.interpreters.mlir").make_ir_context()
        with self.context:
            self.module = self._parse(code)
            self.functions = {
                self._name(op): op for op in self.module.body.operations if op.operation.name == "func.func"
            }
            self._inline_composites()
            self.calls = PythonCalls()
            compute_decompositions(self._walk(self.module.operation), self.calls)
            self._uninterpreted = interpret_kernels(self._walk(self.module.operation), self.calls)
            self.obstacles: list[str] = []
            self._called: dict[Foreign, Dependencies] = {}
            self.host = HostCalls(list(self._walk(self.module.operation)), width, self.calls)
            main = self.functions["main"]
            self._arguments = len(main.operation.regions[0].blocks[0].arguments)
            self.results = self._analyse(main)
            self.called_with = [self._of_call(call) for call in self.host.operations]
            self._replace_unknown_operations()

    def _parse(self, code: bytes) -> Foreign:
        try:
            return self.stablehlo.deserialize_portable_artifact(self.context, code)
        except Exception:  # noqa: BLE001 - not a portable artifact; plain bytecode or text then
            return self.ir.Module.parse(code, self.context)

    def _name(self, function: Foreign) -> str:
        return str(self.ir.StringAttr(function.operation.attributes["sym_name"]).value)

    def _walk(self, operation: Foreign) -> Iterator[Foreign]:
        for region in operation.regions:
            for block in region:
                for inner in list(block.operations):
                    yield inner.operation
                    yield from self._walk(inner.operation)

    def _inline_composites(self) -> None:
        """Call the decomposition of a composite: XLA:CPU aborts on some of TorchTPU's composites."""
        for operation in list(self._walk(self.module.operation)):
            if operation.name != "stablehlo.composite":
                continue
            callee = self.ir.FlatSymbolRefAttr(operation.attributes["decomposition"])
            with self.ir.InsertionPoint(operation), self.ir.Location.unknown():
                call = self.func.CallOp([r.type for r in operation.results], callee, list(operation.operands))
            self._replace(operation, list(call.operation.results))

    def _replace(self, operation: Foreign, values: list[Foreign]) -> None:
        for old, new in zip(operation.results, values, strict=True):
            old.replace_all_uses_with(new)
        operation.erase()

    def obstacle(self, number: int) -> str:
        """Return why a value that depends on this number can never be known."""
        return self.obstacles[-1 - number]

    def _why_unknown(self, operation: Foreign) -> str:
        """Say why only a TPU (or the host) can compute this operation; empty when the CPU can, too."""
        if operation.name == "stablehlo.infeed":
            return "it is fed by the host while it runs"
        if operation.name != "stablehlo.custom_call":
            return ""
        target = self._target(operation)
        if target in _KEPT_CALLS | _PLACEMENT_CALLS | {_ALLOCATION_CALL}:
            return ""
        return self._uninterpreted.get(operation, f"custom call {target} exists only on a TPU")

    def _own(self, operation: Foreign) -> Dependencies:
        """Return what an operation itself adds: that it is a host callback, or an obstacle."""
        if operation in self.host.operations:
            return frozenset([self._arguments + self.host.operations.index(operation)])
        reason = self._why_unknown(operation)
        if not reason:
            return frozenset()
        if reason not in self.obstacles:
            self.obstacles.append(reason)
        return frozenset([-1 - self.obstacles.index(reason)])

    def _target(self, operation: Foreign) -> str:
        return str(self.ir.StringAttr(operation.attributes["call_target_name"]).value)

    def _analyse(self, function: Foreign) -> list[Dependencies]:
        """Return, for each result, which arguments it depends on, and its obstacles."""
        block = function.operation.regions[0].blocks[0]
        known: dict[Foreign, Dependencies] = {
            value: frozenset([i]) for i, value in enumerate(block.arguments)
        }
        for operation in block.operations:
            inner = operation.operation
            if inner.name in ("func.return", "stablehlo.return"):
                return [known[value] for value in inner.operands]
            known.update(zip(inner.results, self._of_operation(inner, known), strict=True))
        return []

    def _of_operation(self, operation: Foreign, known: dict[Foreign, Dependencies]) -> list[Dependencies]:
        operands = [known.get(value, frozenset()) for value in operation.operands]
        if operation.name == "func.call":
            callee = self.functions[self.ir.FlatSymbolRefAttr(operation.attributes["callee"]).value]
            return [self._through(depends, operands) for depends in self._analyse(callee)]
        everything = self._own(operation).union(*operands)
        inside = list(self._walk(operation))
        everything = everything.union(*(self._of_inner(inner, known) for inner in inside))
        for each in (operation, *inside):
            if each in self.host.operations:
                self._called[each] = everything
        return [everything] * len(operation.results)

    def _through(self, of_callee: Dependencies, operands: list[Dependencies]) -> Dependencies:
        inner = _but_first(len(operands), of_callee)
        return inner.union(*(operands[i] for i in of_callee - inner))

    def _of_inner(self, inner: Foreign, known: dict[Foreign, Dependencies]) -> Dependencies:
        """Return what an operation inside a region adds: values from outside, and obstacles."""
        captured = self._own(inner).union(*(known.get(value, frozenset()) for value in inner.operands))
        if inner.name == "func.call":
            callee = self.functions[self.ir.FlatSymbolRefAttr(inner.attributes["callee"]).value]
            return captured.union(*(_but_first(len(inner.operands), each) for each in self._analyse(callee)))
        return captured

    def _of_call(self, call: Foreign) -> Dependencies:
        """Return what a host callback depends on; of one inside a function that is called: every argument."""
        outer = call.parent
        while outer.name != "func.func":
            outer = outer.parent
        if outer == self.functions["main"].operation:
            return self._called[call]
        return _but_first(self._arguments, self._called[call]) | frozenset(range(self._arguments))

    def _replace_unknown_operations(self) -> None:
        for operation in list(self._walk(self.module.operation)):
            target = self._target(operation) if operation.name == "stablehlo.custom_call" else ""
            if target in _PLACEMENT_CALLS:
                self._replace(operation, [operation.operands[0]])
            elif target == _ALLOCATION_CALL or self._why_unknown(operation):
                fill = 0.0 if target == _ALLOCATION_CALL else float("nan")
                with self.ir.InsertionPoint(operation), self.ir.Location.unknown():
                    stand_ins = [self._stand_in(result.type, operation, fill) for result in operation.results]
                self._replace(operation, stand_ins)

    def _stand_in(self, kind: Foreign, operation: Foreign, fill: float) -> Foreign:
        """Return an array in place of what an operation makes: full of ``fill``, integers of 0."""
        if not str(kind).startswith("tensor<"):
            return operation.operands[-1]  # a token: the one that went in comes out
        tensor = self.ir.RankedTensorType(kind)
        element = tensor.element_type
        whole = str(element).lstrip("us").startswith("i")  # i32, ui8, si4
        number = self.ir.IntegerAttr.get(element, 0) if whole else self.ir.FloatAttr.get(element, fill)
        return self.stablehlo.constant(self.ir.DenseElementsAttr.get_splat(tensor, number))

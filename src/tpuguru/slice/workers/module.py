"""A StableHLO module: what its outputs depend on, and without the operations that only a TPU has."""

import re
from collections.abc import Iterator
from importlib import import_module

from .elements import Foreign
from .mosaic_calls import interpret_kernels
from .python_calls import TARGET, PythonCalls

# Custom calls that XLA:CPU understands, or that its partitioner takes away.
_KEPT_CALLS = {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "TopK", "mhlo.topk", TARGET}
# Custom calls that only say where a value lives.
_PLACEMENT_CALLS = {"annotate_device_placement", "MoveToHost", "MoveToDevice"}

type Dependencies = frozenset[int]
"""Arguments that a value depends on, and below zero the obstacles: why it can never be known."""


def _obstacles(depends: Dependencies) -> Dependencies:
    return frozenset(number for number in depends if number < 0)


class Module:
    """A StableHLO module: what its outputs depend on, and without the operations that only a TPU has."""

    def __init__(self, code: bytes) -> None:
        """Parse the portable bytecode that the framework sent."""
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
            self._uninterpreted = interpret_kernels(self._walk(self.module.operation), self.calls)
            self.obstacles: list[str] = []
            self.sends: list[tuple[int, Foreign]] = []  # channel, type
            self.receives: list[tuple[int, Foreign]] = []
            self._open_host_channels()
            self.results = self._analyse(self.functions["main"])
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

    def _open_host_channels(self) -> None:
        """Turn what the program sends to the host into outputs, and what it receives into arguments.

        Only at the top level of the program: a callback in a loop cannot be called from outside.
        """
        main = self.functions["main"].operation
        block = main.regions[0].blocks[0]
        sent = []
        for operation in [each.operation for each in block.operations]:
            if operation.name == "stablehlo.send":
                sent.append(operation.operands[0])
                self.sends.append((self._channel(operation), operation.operands[0].type))
                self._replace(operation, [operation.operands[-1]])
            elif operation.name == "stablehlo.recv":
                kind = operation.results[0].type
                argument = block.add_argument(kind, self.ir.Location.unknown(self.context))
                self.receives.append((self._channel(operation), kind))
                self._replace(operation, [argument, operation.operands[-1]])
        if self.sends or self.receives:
            self._extend_signature(main, block, sent)

    def _extend_signature(self, main: Foreign, block: Foreign, sent: list[Foreign]) -> None:
        """Return ``sent`` as well, and declare the arguments that were added."""
        last = list(block.operations)[-1].operation
        results = [*last.operands, *sent]
        with self.ir.InsertionPoint(last), self.ir.Location.unknown():
            self.func.ReturnOp(results)
        last.erase()
        kind = self.ir.FunctionType.get([a.type for a in block.arguments], [r.type for r in results])
        main.attributes["function_type"] = self.ir.TypeAttr.get(kind)
        for name, added in (("arg_attrs", len(self.receives)), ("res_attrs", len(sent))):
            if name in main.attributes and added:
                empty = [self.ir.DictAttr.get({})] * added
                main.attributes[name] = self.ir.ArrayAttr.get(
                    [*self.ir.ArrayAttr(main.attributes[name]), *empty]
                )

    def _channel(self, operation: Foreign) -> int:
        found = re.search(r"handle = (\d+)", str(operation.attributes["channel_handle"]))
        return int(found[1]) if found else -1

    def _replace(self, operation: Foreign, values: list[Foreign]) -> None:
        for old, new in zip(operation.results, values, strict=True):
            old.replace_all_uses_with(new)
        operation.erase()

    def obstacle(self, number: int) -> str:
        """Return why a value that depends on this number can never be known."""
        return self.obstacles[-1 - number]

    def _why_unknown(self, operation: Foreign) -> str:
        """Say why only a TPU (or the host) can compute this operation; empty when the CPU can, too."""
        if operation.name in ("stablehlo.recv", "stablehlo.infeed"):
            return f"{operation.name} brings what only the host has"
        if operation.name != "stablehlo.custom_call":
            return ""
        target = self._target(operation)
        if target in _KEPT_CALLS | _PLACEMENT_CALLS:
            return ""
        return self._uninterpreted.get(operation, f"custom call {target} exists only on a TPU")

    def _obstacles_of(self, operation: Foreign) -> Dependencies:
        """Return the obstacle that this operation is, if it is one."""
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
        everything = self._obstacles_of(operation).union(*operands)
        for inner in self._walk(operation):
            everything |= self._of_inner(inner, known)
        return [everything] * len(operation.results)

    def _through(self, of_callee: Dependencies, operands: list[Dependencies]) -> Dependencies:
        return _obstacles(of_callee).union(*(operands[i] for i in of_callee if i >= 0))

    def _of_inner(self, inner: Foreign, known: dict[Foreign, Dependencies]) -> Dependencies:
        """Return what an operation inside a region adds: values from outside, and obstacles."""
        captured = self._obstacles_of(inner).union(
            *(known.get(value, frozenset()) for value in inner.operands)
        )
        if inner.name == "func.call":
            callee = self.functions[self.ir.FlatSymbolRefAttr(inner.attributes["callee"]).value]
            return captured.union(*(_obstacles(depends) for depends in self._analyse(callee)))
        return captured

    def _replace_unknown_operations(self) -> None:
        for operation in list(self._walk(self.module.operation)):
            if operation.name == "stablehlo.send":
                self._replace(operation, [operation.operands[-1]])
            elif operation.name == "stablehlo.custom_call" and self._target(operation) in _PLACEMENT_CALLS:
                self._replace(operation, [operation.operands[0]])
            elif self._why_unknown(operation):
                with self.ir.InsertionPoint(operation), self.ir.Location.unknown():
                    stand_ins = [self._stand_in(result.type, operation) for result in operation.results]
                self._replace(operation, stand_ins)

    def _stand_in(self, kind: Foreign, operation: Foreign) -> Foreign:
        """Return a NaN (or zero) of this type in place of what an unknown operation computes."""
        if not str(kind).startswith("tensor<"):
            return operation.operands[-1]  # a token: the one that went in comes out
        tensor = self.ir.RankedTensorType(kind)
        element = tensor.element_type
        whole = str(element).lstrip("us").startswith("i")  # i32, ui8, si4
        number = (
            self.ir.IntegerAttr.get(element, 0) if whole else self.ir.FloatAttr.get(element, float("nan"))
        )
        return self.stablehlo.constant(self.ir.DenseElementsAttr.get_splat(tensor, number))

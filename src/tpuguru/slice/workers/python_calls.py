"""Operations of a StableHLO module that become calls of Python functions while XLA:CPU runs it."""

import re
from collections.abc import Callable
from importlib import import_module

from .elements import Foreign

TARGET = "xla_ffi_python_cpu_callback"
"""The custom call with which jaxlib calls a Python function of the executable, by its index."""

# How a sharding names a single device, and how that is written for several results.
_PLACEMENTS = (
    ("sdy.sharding", r"<@maximal_mesh_\d+, \[\]>", "#sdy.sharding_per_value<[{}]>"),
    ("mhlo.sharding", r"\{maximal device=\d+\}", '"{{{}}}"'),
)

type Call = Callable[..., tuple[Foreign, ...]]


class PythonCalls:
    """The functions that one program calls."""

    def __init__(self) -> None:
        """None yet."""
        self._ir = import_module("jaxlib.mlir.ir")
        self._stablehlo = import_module("jaxlib.mlir.dialects.stablehlo")
        self.functions: list[Call] = []
        self.refusal = ""
        """Why the last run's call could not be answered; empty when all were."""

    def insert(
        self, before: Foreign, function: Call, operands: list[Foreign], results: list[Foreign]
    ) -> list[Foreign]:
        """Call ``function`` with arrays of the operands, in place of an operation; return the results."""
        index = len(self.functions)
        self.functions.append(self._guarded(function))
        ir = self._ir
        number = ir.IntegerAttr.get(ir.IntegerType.get_unsigned(64), index)
        with ir.InsertionPoint(before), before.location:
            call = self._stablehlo.CustomCallOp.build_generic(
                results=results,
                operands=operands,
                attributes={
                    "call_target_name": ir.StringAttr.get(TARGET),
                    "api_version": ir.IntegerAttr.get(ir.IntegerType.get_signless(32), 4),
                    "has_side_effect": ir.BoolAttr.get(_has_side_effect(before)),
                    "backend_config": ir.DictAttr.get({"index": number}),
                },
            )
        self._place(before, call.operation, len(results))
        return list(call.operation.results)

    def _place(self, before: Foreign, call: Foreign, results: int) -> None:
        """Run the call on the one device that the operation runs on, if it is one."""
        for name, pattern, whole in _PLACEMENTS:
            if name in before.attributes and (found := re.search(pattern, str(before.attributes[name]))):
                text = whole.format(", ".join([found[0]] * results))
                call.attributes[name] = self._ir.Attribute.parse(text)

    def _guarded(self, function: Call) -> Call:
        """Remember why a call failed: XLA passes on little more than that it did."""

        def guarded(*arguments: Foreign) -> tuple[Foreign, ...]:
            try:
                return function(*arguments)
            except Exception as error:
                self.refusal = self.refusal or str(error)
                raise

        return guarded


def _has_side_effect(operation: Foreign) -> bool:
    attributes = operation.attributes
    if operation.name in ("stablehlo.send", "stablehlo.recv"):
        return True
    return "has_side_effect" in attributes and bool(attributes["has_side_effect"].value)

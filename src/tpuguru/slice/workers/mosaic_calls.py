"""Mosaic kernels in a StableHLO module: interpreted where they can be, named where they cannot."""

from collections.abc import Callable, Iterable
from importlib import import_module

from .elements import Foreign
from .python_calls import PythonCalls

TARGET = "tpu_custom_call"


def interpret_kernels(operations: Iterable[Foreign], calls: PythonCalls) -> dict[Foreign, str]:
    """Replace kernels by calls of the interpreter; return the others, and why each stays unknown."""
    ir = import_module("jaxlib.mlir.ir")
    left: dict[Foreign, str] = {}
    for operation in list(operations):
        if operation.name != "stablehlo.custom_call":
            continue
        if str(ir.StringAttr(operation.attributes["call_target_name"]).value) != TARGET:
            continue
        try:
            kernel = _kernel(ir, operation)
        except Exception as error:  # noqa: BLE001 - whatever it is: this kernel is not interpreted
            left[operation] = f"Mosaic kernel {_name(operation)} cannot be interpreted: {error}"
            continue
        results = [result.type for result in operation.results]
        values = calls.insert(operation, kernel, list(operation.operands), results)
        for old, new in zip(operation.results, values, strict=True):
            old.replace_all_uses_with(new)
        operation.erase()
    return left


def _kernel(ir: Foreign, operation: Foreign) -> Callable[..., tuple[Foreign, ...]]:
    mosaic = import_module(".mosaic.kernel", __package__)
    for layouts in ("operand_layouts", "result_layouts"):
        if layouts in operation.attributes and not _row_major(operation.attributes[layouts]):
            raise mosaic.Refusal("an array is not laid out row by row")
    config = ir.StringAttr(operation.attributes["backend_config"]).value
    kernel: Callable[..., tuple[Foreign, ...]] = mosaic.Kernel(
        config, [result.type for result in operation.results], _aliases(operation)
    )
    return kernel


def _row_major(layouts: Foreign) -> bool:
    orders = [[int(each) for each in layout] for layout in layouts]
    return all(order == sorted(order, reverse=True) for order in orders)


def _aliases(operation: Foreign) -> dict[int, int]:
    """Return the outputs that lie in an operand's memory, and that operand."""
    if "output_operand_aliases" not in operation.attributes:
        return {}
    hlo = import_module("jaxlib.mlir.dialects.stablehlo")
    found = [hlo.OutputOperandAlias(each) for each in operation.attributes["output_operand_aliases"]]
    return {(list(each.output_tuple_indices) or [0])[0]: each.operand_index for each in found}


def _name(operation: Foreign) -> str:
    if "kernel_name" not in operation.attributes:
        return "(without a name)"
    return str(operation.attributes["kernel_name"].value)

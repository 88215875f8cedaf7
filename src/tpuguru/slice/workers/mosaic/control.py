"""Dialect ``scf`` (https://mlir.llvm.org/docs/Dialects/SCFDialect), calls, and what only marks a place."""

from .libraries import Foreign, Refusal
from .translate import Step, Translator, Values, step


@step("scf.if")
def _if(translator: Translator, operation: Foreign) -> Step:
    condition = translator.slot(operation.operands[0])
    branches = [translator.block(region.blocks[0]) for region in operation.regions if len(region.blocks)]
    results = [translator.slot(value) for value in operation.results]

    def run(values: Values) -> None:
        branch = 0 if values[condition] else 1
        if branch < len(branches):
            for slot, value in zip(results, branches[branch].run(values), strict=True):
                values[slot] = value

    return run


@step("scf.for")
def _for(translator: Translator, operation: Foreign) -> Step:
    start, end, stride, *carried = [translator.slot(value) for value in operation.operands]
    body = translator.block(operation.regions[0].blocks[0])
    results = [translator.slot(value) for value in operation.results]
    clock = translator.clock

    def run(values: Values) -> None:
        current = [values[slot] for slot in carried]
        index, last, by = values[start], values[end], values[stride]
        while index < last:
            clock.check()
            for slot, value in zip(body.arguments, (index, *current), strict=True):
                values[slot] = value
            current = body.run(values)
            index = index + by
        for slot, value in zip(results, current, strict=True):
            values[slot] = value

    return run


@step("scf.while")
def _while(translator: Translator, operation: Foreign) -> Step:
    carried = [translator.slot(value) for value in operation.operands]
    before, after = [translator.block(region.blocks[0]) for region in operation.regions]
    results = [translator.slot(value) for value in operation.results]
    clock = translator.clock

    def run(values: Values) -> None:
        current = [values[slot] for slot in carried]
        while True:
            clock.check()
            for slot, value in zip(before.arguments, current, strict=True):
                values[slot] = value
            go_on, *current = before.run(values)
            if not go_on:
                break
            for slot, value in zip(after.arguments, current, strict=True):
                values[slot] = value
            current = after.run(values)
        for slot, value in zip(results, current, strict=True):
            values[slot] = value

    return run


@step("tpu.region", "tpu.trace", "scf.execute_region")
def _region(translator: Translator, operation: Foreign) -> Step:
    body = translator.block(operation.regions[0].blocks[0])
    results = [translator.slot(value) for value in operation.results]

    def run(values: Values) -> None:
        for slot, value in zip(results, body.run(values), strict=True):
            values[slot] = value

    return run


@step("func.call")
def _call(translator: Translator, operation: Foreign) -> Step:
    name = operation.attributes["callee"].value
    if name not in translator.functions:
        raise Refusal(f"a call of {name}, which comes later")
    function = translator.functions[name]
    operands = [translator.slot(value) for value in operation.operands]
    results = [translator.slot(value) for value in operation.results]

    def run(values: Values) -> None:
        told = function(*[values[slot] for slot in operands])
        for slot, value in zip(results, told, strict=True):
            values[slot] = value

    return run


@step("cf.assert")
def _assert(translator: Translator, operation: Foreign) -> Step:
    condition = translator.slot(operation.operands[0])
    message = str(operation.attributes["msg"])

    def run(values: Values) -> None:
        if not values[condition]:
            raise Refusal(f"its assertion fails: {message}")

    return run


@step("tpu.trace_start", "tpu.trace_stop", "tpu.trace_value", "tpu.annotate", "tpu.delay", "tpu.log")
def _nothing(translator: Translator, operation: Foreign) -> Step:  # noqa: ARG001 - the table's signature
    return lambda _: None

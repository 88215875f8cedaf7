"""Copies between memories and their semaphores, within one core.

A copy is made when it is started: a kernel that does not race cannot tell. Waiting for one is then nothing.
Other devices and other cores do not exist here; what speaks to them is refused.
"""

from .libraries import Foreign, Refusal
from .translate import Step, Translator, Values, step
from .types import integers


def _groups(operation: Foreign) -> list[list[Foreign]]:
    """Return the operands by group, in the order in which the operation declares them."""
    operands, groups = list(operation.operands), []
    for size in integers(operation.attributes["operandSegmentSizes"]):
        groups.append(operands[:size])
        operands = operands[size:]
    return groups


def _require_local(operation: Foreign, others: list[list[Foreign]]) -> None:
    if any(others):
        raise Refusal(f"{operation.name} to another device or core")


@step("tpu.enqueue_dma")
def _copy(translator: Translator, operation: Foreign) -> Step:
    """Operands: source, its semaphore, target, its semaphore, device, core, subcore."""
    source, _, target, _, *others = _groups(operation)
    _require_local(operation, others)
    start, end = translator.slot(source[0]), translator.slot(target[0])

    def run(values: Values) -> None:
        values[end][...] = values[start][...]

    return run


@step("tpu.wait_dma", "tpu.wait_dma2")
def _wait_for_copy(translator: Translator, operation: Foreign) -> Step:  # noqa: ARG001 - the table's signature
    return lambda _: None


@step("tpu.sem_signal")
def _signal(translator: Translator, operation: Foreign) -> Step:
    semaphore, amount, *others = _groups(operation)
    _require_local(operation, others)
    where, by = translator.slot(semaphore[0]), translator.slot(amount[0])

    def run(values: Values) -> None:
        values[where][...] += values[by]

    return run


@step("tpu.sem_wait")
def _wait(translator: Translator, operation: Foreign) -> Step:
    where, by = (translator.slot(value) for value in operation.operands)

    def run(values: Values) -> None:
        if values[where][...] < values[by]:
            raise Refusal("it waits for a semaphore that nothing here signals")
        values[where][...] -= values[by]

    return run

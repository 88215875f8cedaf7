"""Decompositions that a TPU has operations for: done by LAPACK when XLA:CPU runs the program.

The conventions are XLA's: leading dimensions are a batch, reflectors are packed below the diagonal as LAPACK
packs them, pivots count from 0. Eigenvectors may differ from a TPU's by their signs.
"""

from collections.abc import Callable, Iterable
from importlib import import_module

from .elements import Foreign
from .python_calls import PythonCalls


def compute_decompositions(operations: Iterable[Foreign], calls: PythonCalls) -> None:
    """Replace the custom calls that are such operations by calls of the functions below."""
    ir = import_module("jaxlib.mlir.ir")
    for operation in list(operations):
        if operation.name != "stablehlo.custom_call":
            continue
        function = _FUNCTIONS.get(str(ir.StringAttr(operation.attributes["call_target_name"]).value))
        if function is None:
            continue
        results = [result.type for result in operation.results]
        values = calls.insert(operation, function, list(operation.operands), results)
        for old, new in zip(operation.results, values, strict=True):
            old.replace_all_uses_with(new)
        operation.erase()


def _batched(function: Callable[..., tuple[Foreign, ...]]) -> Callable[..., tuple[Foreign, ...]]:
    """Apply a function of matrices (and a vector for each) to every one of a batch."""

    def over_batch(matrices: Foreign, *vectors: Foreign) -> tuple[Foreign, ...]:
        numpy = import_module("numpy")
        batch = matrices.shape[:-2]
        flat = matrices.reshape(-1, *matrices.shape[-2:])
        rows = [vector.reshape(len(flat), -1) for vector in vectors]
        done = [function(matrix, *(row[i] for row in rows)) for i, matrix in enumerate(flat)]
        return tuple(
            numpy.ascontiguousarray(numpy.stack(each).reshape(*batch, *each[0].shape))
            for each in zip(*done, strict=True)
        )

    return over_batch


def _lapack(name: str, matrix: Foreign) -> Callable[..., tuple[Foreign, ...]]:
    [function] = import_module("scipy.linalg").get_lapack_funcs((name,), (matrix,))
    call: Callable[..., tuple[Foreign, ...]] = function
    return call


def _lu(matrix: Foreign) -> tuple[Foreign, ...]:
    """Return L and U in one matrix, the pivots, and the permutation that they come to."""
    numpy = import_module("numpy")
    factors, pivots, _ = _lapack("getrf", matrix)(matrix)
    permutation = numpy.arange(len(matrix), dtype=numpy.int32)
    for row, pivot in enumerate(pivots):
        permutation[[row, pivot]] = permutation[[pivot, row]]
    return factors, pivots.astype(numpy.int32), permutation


def _qr(matrix: Foreign) -> tuple[Foreign, ...]:
    """Return R with the reflectors below its diagonal, and their factors."""
    packed, factors, *_ = _lapack("geqrf", matrix)(matrix)
    return packed, factors


def _reflectors(packed: Foreign, factors: Foreign) -> tuple[Foreign, ...]:
    """Return the product of the reflectors: Q."""
    name = "ungqr" if packed.dtype.kind == "c" else "orgqr"
    return (_lapack(name, packed)(packed, factors)[0],)


def _eigh(matrix: Foreign) -> tuple[Foreign, ...]:
    """Return eigenvectors and values, ascending, of a matrix that JAX has made symmetric."""
    values, vectors = import_module("numpy").linalg.eigh(matrix)
    return vectors, values


_FUNCTIONS = {
    "LuDecomposition": _batched(_lu),
    "Qr": _batched(_qr),
    "ProductOfElementaryHouseholderReflectors": _batched(_reflectors),
    "Eigh": _batched(_eigh),
}

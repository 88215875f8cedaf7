"""The user's own numpy, ml_dtypes and MLIR bindings, which have no types for us."""

from importlib import import_module
from typing import Any

type Foreign = Any
"""An object of these libraries."""

np: Foreign = import_module("numpy")
ml_dtypes: Foreign = import_module("ml_dtypes")
ir: Foreign = import_module("jaxlib.mlir.ir")


class Refusal(Exception):  # noqa: N818 - not an error of ours: this kernel is not for us
    """A kernel cannot be interpreted; says why."""

"""Fixture for pytest: with ``-p tpuguru.slice.pytest_plugin`` a test says ``virtual_slice("v6e:2x2")``."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tpuguru.slice.context import VirtualSlice
from tpuguru.slice.context import virtual_slice as enter_slice


@pytest.fixture
def virtual_slice() -> Iterator[Callable[..., VirtualSlice]]:
    """Return a function that puts the rest of the test on a slice: ``virtual_slice("v6e:2x2")``."""
    with ExitStack() as stack:

        def enter(name: str, **options: object) -> VirtualSlice:
            return stack.enter_context(enter_slice(name, **options))  # type: ignore[arg-type]

        yield enter

"""A failed phase: which, and what the framework or compiler said, in its own words."""

import contextlib
import traceback
from collections.abc import Iterator


class WorkFailure(Exception):
    """An operation stopped in ``phase`` because of ``cause``."""

    def __init__(self, phase: str, cause: BaseException) -> None:
        super().__init__(f"{phase}: {cause}")
        self.phase = phase
        self.cause = cause

    def as_data(self) -> dict:
        """Return what the supervisor needs to name the failure and show where it arose."""
        last = traceback.extract_tb(self.cause.__traceback__)[-1:]
        return {
            "phase": self.phase,
            "type": type(self.cause).__name__,
            "message": str(self.cause) or type(self.cause).__name__,
            "raised_in": f"{last[0].filename}:{last[0].lineno}" if last else "",
        }


@contextlib.contextmanager
def phase(name: str) -> Iterator[None]:
    """Attribute every exception of the block to the phase ``name``, a sys.exit of a library included."""
    try:
        yield
    except WorkFailure:
        raise
    except (
        SystemExit
    ) as stop:  # MaxText's pyconfig exits on a rejected configuration; the reason is its context
        traceback.print_exc()
        raise WorkFailure(name, stop.__context__ or stop) from stop
    except Exception as error:
        traceback.print_exc()
        raise WorkFailure(name, error) from error

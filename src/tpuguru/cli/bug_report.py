"""An unexpected error becomes a file the user can send, not a traceback on the screen."""

import platform
import time
import traceback

from tpuguru import __version__
from tpuguru.base.errors import ToolFailureError
from tpuguru.base.locations import state_directory
from tpuguru.base.redaction import redact


def write_bug_report(error: Exception) -> ToolFailureError:
    """Store the traceback, redacted, and return the error that names the file."""
    text = "\n".join(
        [
            f"tpuguru {__version__}, Python {platform.python_version()}, {platform.platform()}",
            "",
            "".join(traceback.format_exception(error)),
        ]
    )
    folder = state_directory() / "bug-reports"
    path = folder / f"{time.strftime('%Y%m%d-%H%M%S')}.md"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(redact(text), encoding="utf-8")
    except OSError:
        return ToolFailureError(f"this is a bug in tpuguru: {type(error).__name__}: {redact(str(error))}")
    return ToolFailureError(
        f"this is a bug in tpuguru: {type(error).__name__}: {redact(str(error))}",
        help=f"please report it with the file {path} (secrets are redacted; read it before you send it)",
    )

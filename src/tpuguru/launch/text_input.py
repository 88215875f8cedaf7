"""From bytes to text: limits, encodings, line ends, and a clear sentence for what is no text."""

import sys
from pathlib import Path

from tpuguru.base.errors import UsageError
from tpuguru.base.units import MiB, format_bytes
from tpuguru.launch.source import PLACEHOLDER

# A launch of 100 KiB is long; the limit keeps time and memory bounded on a 100 MB paste.
MAXIMUM_BYTES = 4 * MiB
_BYTE_ORDER_MARKS = ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"), (b"\xef\xbb\xbf", "utf-8-sig"))


def read_bytes(path: str) -> bytes:
    """Return the bytes of a file, or of stdin for ``-``. UsageError when missing, unreadable or too large."""
    try:
        if path == "-":
            data = sys.stdin.buffer.read(MAXIMUM_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                data = file.read(MAXIMUM_BYTES + 1)
    except FileNotFoundError:
        raise UsageError(f"there is no file {path}", help="give a file, or - for stdin") from None
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return data


def decode(data: bytes, path: str) -> tuple[str, bool]:
    r"""Return the text with ``\\n`` line ends, and whether some bytes were not valid UTF-8.

    UsageError when the text is larger than the limit, or is no text at all (it holds NUL bytes).
    """
    if len(data) > MAXIMUM_BYTES:
        raise UsageError(
            f"{path} is larger than {format_bytes(MAXIMUM_BYTES)}: too large to be a launch",
            help="paste the launch script or command, not a log or a checkpoint",
        )
    encoding = next((name for mark, name in _BYTE_ORDER_MARKS if data.startswith(mark)), "utf-8")
    if encoding != "utf-16" and b"\0" in data:
        raise UsageError(f"{path} is binary, not text: it holds NUL bytes", help="give the launch as text")
    text = data.decode(encoding, "replace")
    if "\0" in text:
        raise UsageError(
            f"{path} is binary, not text: it holds NUL characters", help="give the launch as text"
        )
    return clean(text), "\ufffd" in text


def clean(text: str) -> str:
    """Normalise line ends and drop the character that tpuguru itself uses as a placeholder."""
    if len(text) > MAXIMUM_BYTES:
        raise UsageError(f"the paste is larger than {format_bytes(MAXIMUM_BYTES)}: too large to be a launch")
    text = text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text
    return text.replace("\r\n", "\n").replace(PLACEHOLDER, "\ufffd")

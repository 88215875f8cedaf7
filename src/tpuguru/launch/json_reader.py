"""A ``launch/v1`` document as input again: what ``tpuguru parse`` wrote, every later command takes."""

from typing import Any

import msgspec

from tpuguru.base.errors import UsageError
from tpuguru.launch.model import Launch, Note, Paste

SCHEMA = "launch/v1"


def is_launch_document(text: str) -> bool:
    """Tell whether a text is JSON that calls itself ``launch/v1``, or means to."""
    return text.lstrip()[:1] == "{" and f'"{SCHEMA}"' in text[:4096].replace(" ", "")


def read_launch_document(text: str, path: str) -> Paste:
    """Return the paste of a launch document. UsageError that names the wrong field."""
    try:
        document: Any = msgspec.json.decode(text.encode())
        launches = msgspec.convert(document["launches"], tuple[Launch, ...])
        notes = msgspec.convert(document.get("notes", []), tuple[Note, ...])
    except (KeyError, TypeError):
        raise UsageError(f"{path} calls itself {SCHEMA} but has no list of launches") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise UsageError(f"{path} is not a valid {SCHEMA} document: {error}") from None
    return Paste(path=path, text=text, kind="launch-json", notes=notes, launches=launches)

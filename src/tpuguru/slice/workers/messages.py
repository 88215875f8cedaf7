"""Messages between the values service and its computing child.

A message is a JSON object and byte strings: two 4-byte counts (length of the JSON, number of byte strings),
the JSON, then each byte string after its 8-byte length.
"""

import json
import struct
from typing import Any, BinaryIO


def read_message(stream: BinaryIO) -> tuple[dict[str, Any], list[bytes]] | None:
    """Return the next message, or None at the end of the stream."""
    head = stream.read(8)
    if len(head) < 8:
        return None
    size, count = struct.unpack("<II", head)
    header = json.loads(stream.read(size))
    return header, [stream.read(struct.unpack("<Q", stream.read(8))[0]) for _ in range(count)]


def write_message(stream: BinaryIO, header: dict[str, Any], blobs: list[bytes]) -> None:
    """Write one message and flush."""
    text = json.dumps(header).encode()
    stream.write(struct.pack("<II", len(text), len(blobs)) + text)
    for blob in blobs:
        stream.write(struct.pack("<Q", len(blob)))
        stream.write(blob)
    stream.flush()

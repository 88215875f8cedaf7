"""Bytes are bytes inside; people read GiB."""

KiB = 2**10
MiB = 2**20
GiB = 2**30
TiB = 2**40


def format_bytes(count: float) -> str:
    """Render a byte count in the largest binary unit that keeps it at or above one, e.g. ``11.45 GiB``."""
    for unit, size in (("TiB", TiB), ("GiB", GiB), ("MiB", MiB), ("KiB", KiB)):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count:.0f} B"

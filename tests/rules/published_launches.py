"""The launches that were published with measured figures: the scripts under ``examples/maxtext/published``."""

from pathlib import Path

_FOLDER = Path(__file__).parents[2] / "examples" / "maxtext" / "published"


def published() -> dict[str, str]:
    """Return the text of every published launch by its short name, ``a01`` …"""
    return {path.name[:3]: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("a*.sh"))}

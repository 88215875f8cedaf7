"""One module an output format, each with ``render(report, excerpts, view) -> str``."""

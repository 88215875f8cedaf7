"""Recognise in a server's own output that it is ready: its clients wait for what it compiles from then on."""

import re

_READY = re.compile(
    r"Application startup complete"  # Starlette and FastAPI: vLLM, sgl-jax, Ray Serve
    r"|Uvicorn running on"
    r"|The server is fired up and ready"  # SGLang, after its own warm-up request
    r"|\"GET /(?:health|healthz|ready|v2/health/ready)\S* HTTP/[\d.]+\" 200"
)


def says_ready(line: str) -> bool:
    """Say whether a line of output tells that a server now takes requests."""
    return _READY.search(line) is not None

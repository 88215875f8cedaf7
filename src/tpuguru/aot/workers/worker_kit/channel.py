"""Requests in on stdin, events out on stdout, one JSON object a line; nothing else reaches that stdout."""

import json
import os
import queue
import sys
import threading
import time


class Channel:
    """The worker's two pipes.

    The original stdout is moved away before anything is imported, and file descriptor 1 points to a log file
    from then on, so that prints of Python, C++ and the compiler cannot corrupt the events.
    """

    def __init__(self, stdout_log: str) -> None:
        """Take over stdout and start to read requests."""
        self._started = time.monotonic()
        self._events = os.fdopen(os.dup(1), "w", encoding="utf-8")
        log = os.open(stdout_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(log, 1)
        os.close(log)
        self._lock = threading.Lock()
        self._requests: queue.Queue[dict] = queue.Queue()
        threading.Thread(target=self._read, name="requests", daemon=True).start()

    def emit(self, event: str, **data: object) -> None:
        """Write one event. Seconds count from the start of the worker."""
        line = json.dumps({"event": event, "at": round(time.monotonic() - self._started, 3), "data": data})
        with self._lock:
            self._events.write(line + "\n")
            self._events.flush()

    def next_request(self) -> dict:
        """Wait for the next request."""
        return self._requests.get()

    def _read(self) -> None:
        for line in sys.stdin:
            self._requests.put(json.loads(line))
        # The supervisor closed the pipe, or died: nobody waits for this compile any more.
        os._exit(75)

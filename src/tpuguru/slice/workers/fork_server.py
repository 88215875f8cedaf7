"""A process that has imported a program's modules and forks for each run of the program.

Runs in the user's Python, on the standard library alone. The argument is the path of a Unix socket on which
``tpuguru`` listens; each message in either direction is one line of JSON. First comes the list of modules to
import, answered by ``ready`` with the reason why forking is not safe, if it is not. Then each ``run`` comes
with two file descriptors, for the output, and is answered by ``started`` and, in time, by ``ended``.
"""

import atexit
import gc
import importlib
import importlib.util
import json
import os
import runpy
import selectors
import signal
import socket
import sys
import sysconfig
import threading
import traceback
from pathlib import Path
from typing import Any

_LONGEST_MESSAGE = 1 << 22


def preload(names: list[str]) -> str:
    """Import what is installed of ``names``, in their order. The program's own files are left to it.

    Returns the name at which a thread was started; nothing after it is imported.
    """
    installed = tuple({sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")})
    roots: dict[str, bool] = {}
    for name in names:
        root = name.partition(".")[0]
        if root not in roots:
            roots[root] = _is_installed(root, installed)
        if roots[root]:
            try:
                importlib.import_module(name)
            except KeyboardInterrupt:
                raise
            except BaseException:  # noqa: BLE001, S110 - the program meets it itself when it imports the module
                pass
            if _threads():
                return name
    return ""


def _is_installed(root: str, folders: tuple[str, ...]) -> bool:
    try:
        spec = importlib.util.find_spec(root)
    except (ImportError, ValueError, AttributeError):
        return False
    if spec is None or root == "__main__":
        return False
    origin = spec.origin or next(iter(spec.submodule_search_locations or ()), "")
    return origin in ("built-in", "frozen") or origin.startswith(folders)


def objection() -> str:
    """Say why this process must not be forked; empty when it may."""
    names = _threads()
    if names:
        return f"importing its modules starts threads ({', '.join(names)})"
    bridge = sys.modules.get("jax._src.xla_bridge")
    if getattr(bridge, "_backends", None):
        return "importing its modules starts JAX's backend"
    return ""


def _threads() -> list[str]:
    return sorted({name for entry in Path("/proc/self/task").iterdir() if (name := _thread_name(entry))})


def _thread_name(entry: Path) -> str | None:
    """Return the name of a thread that is not the main one; None when it is, or has ended."""
    if entry.name == str(os.getpid()):
        return None
    try:
        return (entry / "comm").read_text().strip()
    except OSError:
        return None


class Server:
    """Reads messages, forks, and tells of children that ended."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._selector = selectors.DefaultSelector()
        self._selector.register(connection, selectors.EVENT_READ)
        self._rest = b""
        self._descriptors: list[int] = []

    def serve(self) -> None:
        """Serve until the other side hangs up."""
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is self._connection:
                    if not self._receive():
                        return
                else:
                    self._reap(key.fd, key.data)

    def _receive(self) -> bool:
        data, descriptors, _, _ = socket.recv_fds(self._connection, _LONGEST_MESSAGE, 8)
        self._descriptors += descriptors
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._handle(json.loads(line))
        return bool(data)

    def _handle(self, message: dict[str, Any]) -> None:
        if "preload" in message:
            culprit = preload(message["preload"])
            gc.collect()
            gc.freeze()  # a collection in a child would copy every page of what is shared
            self._tell(event="ready", objection=objection(), culprit=culprit)
            return
        out, err = self._descriptors.pop(0), self._descriptors.pop(0)
        child = os.fork()
        if child == 0:
            self._connection.close()
            self._selector.close()
            run_program(message, out, err)
        os.close(out)
        os.close(err)
        self._selector.register(os.pidfd_open(child), selectors.EVENT_READ, (message["id"], child))
        self._tell(event="started", id=message["id"], pid=child)

    def _reap(self, descriptor: int, run: tuple[int, int]) -> None:
        self._selector.unregister(descriptor)
        os.close(descriptor)
        _, status = os.waitpid(run[1], 0)
        self._tell(event="ended", id=run[0], code=os.waitstatus_to_exitcode(status))

    def _tell(self, **message: Any) -> None:  # noqa: ANN401 - whatever JSON can hold
        self._connection.sendall(json.dumps(message).encode() + b"\n")


def run_program(message: dict[str, Any], out: int, err: int) -> None:
    """Become the program, as the interpreter itself would have started it. Never returns."""
    os.setsid()
    os.dup2(out, 1)
    os.dup2(err, 2)
    os.close(out)
    os.close(err)
    os.environ.clear()
    os.environ.update(message["environment"])
    os.chdir(message["folder"])
    signal.signal(signal.SIGINT, signal.default_int_handler)
    code = _run_to_exit_code(message["program"], message["arguments"])
    shutdown: Any = vars(threading)["_shutdown"]
    shutdown()  # waits for the program's threads, as the interpreter does
    atexit._run_exitfuncs()  # noqa: SLF001
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code)


def _run_to_exit_code(program: list[str], arguments: list[str]) -> int:
    try:
        if program[0] == "-m":
            sys.argv, sys.path[0] = [program[1], *arguments], str(Path.cwd())
            runpy.run_module(program[1], run_name="__main__", alter_sys=True)
        else:
            sys.argv, sys.path[0] = [program[0], *arguments], str(Path(program[0]).resolve().parent)
            runpy.run_path(program[0], run_name="__main__")
    except SystemExit as ended:
        return _exit_code(ended.code)
    except BaseException:  # noqa: BLE001 - shown as the interpreter shows it
        traceback.print_exc()
        return 1
    return 0


def _exit_code(code: object) -> int:
    if code is None or isinstance(code, int):
        return (code or 0) & 0xFF
    print(code, file=sys.stderr)
    return 1


def main() -> None:
    """Connect and serve."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.connect(sys.argv[1])
    Server(connection).serve()


if __name__ == "__main__":
    main()

"""What Linux offers to bound a program: no network, no orphans, signals that follow its parent."""

import contextlib
import ctypes
import fcntl
import os
import signal
import socket
import struct
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_SIOCSIFFLAGS = 0x8914
_IFF_UP_RUNNING = 0x41


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def leave_network() -> str:
    """Move this process to a network with nothing but the loopback. Returns why not, or an empty text.

    As root a network namespace is enough; anybody else needs a user namespace as well, which some systems
    forbid.
    """
    user, group = os.getuid(), os.getgid()
    flags = _CLONE_NEWNET if user == 0 else _CLONE_NEWNET | _CLONE_NEWUSER
    if _libc().unshare(flags) != 0:
        return os.strerror(ctypes.get_errno())
    try:
        if user != 0:
            _keep_identity(user, group)
        _loopback_up()
    except OSError as error:
        return f"the loopback did not come up: {error.strerror}"
    return ""


def _keep_identity(user: int, group: int) -> None:
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")


def _loopback_up() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", _IFF_UP_RUNNING))


def die_with_parent(signal_number: int = signal.SIGKILL) -> None:
    """Have the kernel send this process a signal when its parent ends, however it ends."""
    _libc().prctl(_PR_SET_PDEATHSIG, signal_number, 0, 0, 0)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that they can be found and ended."""
    _libc().prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def descendants(root: int) -> list[int]:
    """Return the ids of all living processes below ``root``, parents before children."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            children.setdefault(_parent_of(entry), []).append(int(entry.name))
    found: list[int] = []
    waiting = [root]
    while waiting:
        for child in children.get(waiting.pop(), []):
            found.append(child)
            waiting.append(child)
    return found


def _parent_of(entry: Path) -> int:
    try:
        stat = (entry / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return -1  # it ended meanwhile
    state, parent = stat.rpartition(")")[2].split()[:2]
    return -1 if state in "ZX" else int(parent)


def resident_bytes(pids: list[int]) -> int:
    """Return the memory that these processes hold, without the pages of files that they share."""
    return sum(_resident(pid) for pid in pids)


def _resident(pid: int) -> int:
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    resident, shared = int(fields[1]), int(fields[2])
    return (resident - shared) * os.sysconf("SC_PAGESIZE")


def end_all(root: int, *, patience_seconds: float) -> None:
    """End every process below ``root``: asked first, then killed, until none is left."""
    import time  # noqa: PLC0415 - only when something must be ended

    for number, seconds in ((signal.SIGTERM, patience_seconds), (signal.SIGKILL, 10.0)):
        deadline = time.monotonic() + seconds
        _signal_all(descendants(root), number)
        while time.monotonic() < deadline:
            left = descendants(root)
            if not left:
                return
            if number == signal.SIGKILL:
                _signal_all(left, number)  # some may have been born meanwhile
            time.sleep(0.05)


def _signal_all(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)

"""Say what can be reached."""

import socket

try:
    socket.create_connection(("192.0.2.1", 80), timeout=3)
    print("outside: reachable")
except TimeoutError:
    print("outside: no answer")
except OSError:
    print("outside: unreachable")
with socket.create_server(("127.0.0.1", 0)) as server:
    socket.create_connection(server.getsockname(), timeout=3)
    print("loopback: reachable")

"""Start a server, wait until it is ready, ask it, and end it: serve_and_ask.py PORT MODEL SECONDS -- SERVER COMMAND.

Runs inside the rehearsal, which has a loopback and no other network. Prints one line of JSON for each question.
"""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request

PROMPT = "a slice that is not there"


def questions(model: str) -> dict[str, tuple[str, dict[str, object]]]:
    """The shapes of request that people send; the sampling ones need programs that the greedy ones do not."""
    completion = {"model": model, "prompt": PROMPT, "max_tokens": 8}
    sampled = completion | {"temperature": 0.8, "top_p": 0.9, "top_k": 20, "logprobs": 3}
    chat = {
        "model": model,
        "messages": [{"role": "user", "content": PROMPT}],
        "max_tokens": 4,
        "temperature": 0,
    }
    return {
        "greedy": ("/v1/completions", completion | {"temperature": 0}),
        "sampled": ("/v1/completions", sampled),
        "chat": ("/v1/chat/completions", chat),
        "seed": ("/v1/completions", completion | {"seed": 7, "temperature": 0.8}),
    }


def ask(port: int, path: str, body: dict[str, object], seconds: float) -> tuple[int, str]:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}{path}", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    try:
        with urllib.request.urlopen(request, timeout=seconds) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode("utf-8", "replace")
    except OSError as error:
        return 0, str(error)


def wait_until_ready(port: int, server: "subprocess.Popen[bytes]", deadline: float) -> bool:
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as response:
                if response.status == 200:
                    return True
        except OSError:
            time.sleep(1)
    return False


def main(port: int, model: str, seconds: float, command: list[str]) -> int:
    deadline = time.monotonic() + seconds
    server = subprocess.Popen(command)
    try:
        if not wait_until_ready(port, server, deadline):
            print(
                json.dumps({"question": "ready", "status": 0, "text": "the server was never ready"}),
                flush=True,
            )
            return 1
        for name, (path, body) in questions(model).items():
            status, text = ask(port, path, body, max(1.0, deadline - time.monotonic()))
            print(json.dumps({"question": name, "status": status, "text": text}), flush=True)
        return 0
    finally:
        server.send_signal(signal.SIGINT)
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()


sys.exit(main(int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), sys.argv[5:]))

"""Server statistics and benchmark results: vLLM, SGLang, benchmark_serving, GuideLLM."""

import re

from tpuguru.telemetry.observation import Observation
from tpuguru.telemetry.readers import BulkReader

_NUMBER = r"([\d,]+\.?\d*)"
_VLLM_RATE = re.compile(rf"Avg generation throughput: {_NUMBER} tokens/s")
_HIT_RATE = re.compile(rf"[Pp]refix cache hit rate:? {_NUMBER}%")
_SGLANG_RATE = re.compile(rf"gen throughput \(token/s\): {_NUMBER}")
_LATENCY = re.compile(
    rf"(?P<which>median|p50|p99)\s*(?P<what>ttft|e2el|latency|itl|tpot)[^:]*\((?P<unit>ms|s)\):\s*(?P<value>{_NUMBER})",
    re.IGNORECASE,
)
_REQUESTS = re.compile(rf"Successful requests:\s*{_NUMBER}", re.IGNORECASE)
_OUTPUT_RATE = re.compile(rf"Output token throughput \(tok/s\):\s*{_NUMBER}")


def _value(found: re.Match[str], group: int | str = 1) -> float:
    return float(found.group(group).replace(",", ""))


def _read_server(line: str, number: int, observation: Observation) -> None:
    for name, pattern in (("vllm", _VLLM_RATE), ("sglang", _SGLANG_RATE)):
        if found := pattern.search(line):
            observation.recognised(name, number)
            observation.token_rate.add(_value(found))
    if found := _HIT_RATE.search(line):
        observation.hit_rate.add(_value(found) / 100)
        observation.seen("prefix_cache_hit_rate", number)


def _read_benchmark(line: str, number: int, observation: Observation) -> None:
    if found := _LATENCY.search(line):
        observation.recognised("benchmark", number)
        seconds = _value(found, "value") * (1e-3 if found["unit"].lower() == "ms" else 1.0)
        if found["which"].lower() == "p99":
            observation.latency_p99 = observation.latency_p99 or seconds
        else:
            observation.latency_median = observation.latency_median or seconds
    if found := _REQUESTS.search(line):
        observation.recognised("benchmark", number)
        observation.requests = _value(found)
    if found := _OUTPUT_RATE.search(line):
        observation.token_rate.add(_value(found))


READERS = (
    BulkReader("server", (b"throughput", b"cache hit rate"), _read_server),
    BulkReader(
        "benchmark", (b"TTFT", b"E2EL", b"atency", b"Successful requests", b"Output token"), _read_benchmark
    ),
)

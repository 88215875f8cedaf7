"""The request loop: one operation after another, each answered by events and one closing event."""

import resource
import time
import traceback
from types import ModuleType

from worker_kit.channel import Channel
from worker_kit.failure import WorkFailure

_MESSAGE_LIMIT = 20_000  # characters; some frameworks list every key they know


def serve(channel: Channel, worker: ModuleType) -> None:
    """Answer requests ``{"id", "op", …}`` until stdin ends.

    ``load`` imports the framework and comes first.
    """
    while True:
        request = channel.next_request()
        _answer(channel, worker, request)


def _answer(channel: Channel, worker: ModuleType, request: dict) -> None:
    started, cpu = time.monotonic(), time.process_time()
    outcome: dict = {}
    try:
        outcome["result"] = worker.OPERATIONS[request["op"]](channel, request)
    except WorkFailure as failure:
        outcome["failure"] = failure.as_data()
    except Exception as error:  # noqa: BLE001 - whatever the framework raises is a result with its phase
        outcome["failure"] = WorkFailure(request["op"], error).as_data()
        traceback.print_exc()
    if "failure" in outcome:
        outcome["failure"]["message"] = outcome["failure"]["message"][:_MESSAGE_LIMIT]
    channel.emit(
        "done",
        id=request["id"],
        op=request["op"],
        seconds=round(time.monotonic() - started, 3),
        cpu_seconds=round(time.process_time() - cpu, 3),
        peak_rss_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        **outcome,
    )

"""Arrays on their way between processes: sends and receives of a channel meet in order. Pure logic."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from tpuguru.slice.values.graph import Transfer, Value


@dataclass(slots=True)
class _Channel:
    """Transfers of which one side is there, the oldest first."""

    sent: list[tuple[Transfer, str]] = field(default_factory=list)
    awaited: list[tuple[Transfer, str]] = field(default_factory=list)


class Transfers:
    """Matches senders and receivers.

    A key is «channel#number»: the n-th send of a channel goes to its n-th receive. TorchTPU 0.2.0 announces
    all receives of a source and tag in one place, so a sender that is ahead uses the number of another
    receive; ``misdirected`` counts those by channel. A key without a number is a channel of its own.
    """

    def __init__(self) -> None:
        """Nothing is on its way."""
        self._channels: dict[str, _Channel] = defaultdict(_Channel)
        self.misdirected: dict[str, int] = defaultdict(int)

    def send(self, key: str, rank: int, value: Value) -> Transfer:
        """Enter what ``rank`` sends; return the transfer, which is whole if its receiver is there."""
        channel = self._channels[_channel_of(key)]
        if channel.awaited:
            transfer, receiver_key = channel.awaited.pop(0)
            self._note(key, receiver_key)
        else:
            transfer = Transfer(device=-1)
            channel.sent.append((transfer, key))
        transfer.sent = value
        transfer.ranks.add(rank)
        return transfer

    def receive(self, key: str, rank: int, device: int) -> Transfer:
        """Enter a receive of ``rank`` on a device; return the transfer, which is whole if it was sent."""
        channel = self._channels[_channel_of(key)]
        if channel.sent:
            transfer, sender_key = channel.sent.pop(0)
            self._note(sender_key, key)
        else:
            transfer = Transfer(device)
            channel.awaited.append((transfer, key))
        transfer.device = device
        transfer.ranks.add(rank)
        return transfer

    def _note(self, sender_key: str, receiver_key: str) -> None:
        if sender_key != receiver_key:
            self.misdirected[_channel_of(receiver_key)] += 1

    def notes(self) -> Iterator[str]:
        """Yield what a person should know about the transfers so far."""
        for channel, count in self.misdirected.items():
            yield (
                f"{channel}: {count} sends were addressed to another receive than the one they met here, in "
                "order; TorchTPU announces all receives of a source and tag under one key, and what a TPU "
                "does then was not compared: synchronise between messages, or give each a tag of its own"
            )


def _channel_of(key: str) -> str:
    return key.partition("#")[0]

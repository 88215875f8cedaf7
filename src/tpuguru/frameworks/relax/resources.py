"""Which role gets how many GPUs: ``--resource '{"actor": [1, 8], …}'`` and the mode."""

import json
from dataclasses import dataclass

from tpuguru.frameworks.relax.flags import Flags, NotKnownError

COLOCATE, FULLY_ASYNC, HYBRID, SEPARATE = "colocate", "fully-async", "hybrid", "separate"
_MOST_GPUS = 10**6


@dataclass(frozen=True, slots=True)
class Resources:
    """GPUs by role: instances times GPUs each."""

    mode: str
    roles: dict[str, int]

    def gpus(self, role: str) -> int:
        """Return the GPUs of a role, 0 when it does not exist."""
        return self.roles.get(role, 0)

    @property
    def total(self) -> int:
        """GPUs of the job: colocated roles share theirs."""
        counts = self.roles.values()
        return max(counts, default=0) if self.mode == COLOCATE else sum(counts)


def mode_of(flags: Flags) -> str:
    """Return how actor and rollout share GPUs."""
    for mode in (HYBRID, FULLY_ASYNC, COLOCATE):
        if mode in flags:
            return mode
    return SEPARATE


def resources_of(flags: Flags) -> Resources:
    """Read ``--resource``. NotKnownError when it is missing, partly unknown, or not its JSON."""
    if "resource" not in flags:
        raise NotKnownError("--resource is not given", "--resource")
    text = flags.text("resource")
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        raise NotKnownError(f"--resource {text[:60]} is not JSON", "--resource with its JSON") from None
    if not isinstance(document, dict):
        raise NotKnownError("--resource is no JSON object", "--resource '{\"actor\": [1, 8]}'")
    return Resources(mode_of(flags), {str(role): _gpus(role, value) for role, value in document.items()})


def _gpus(role: str, value: object) -> int:
    numbers = value if isinstance(value, list) else [1, value]
    counts = [number for number in numbers if isinstance(number, int) and not isinstance(number, bool)]
    if len(numbers) != 2 or len(counts) != 2 or not all(0 <= count <= _MOST_GPUS for count in counts):
        raise NotKnownError(f"--resource gives {role} no [instances, GPUs]", f'"{role}": [1, 8]')
    return counts[0] * counts[1]

"""The oracle that asks a toolchain's worker, and remembers every answer in the run store."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace

from tpuguru.aot import identity
from tpuguru.aot.job import AotJob
from tpuguru.aot.proofs.oracle import Settings
from tpuguru.aot.record import FailureKind
from tpuguru.aot.session import WorkerSession, WorkFailed
from tpuguru.aot.store import RunStore
from tpuguru.aot.work import launch_fields
from tpuguru.base.ablation import OutOfBudgetError, Program, Refusal, Variation

_ANSWERS = (FailureKind.CONFIG_REJECTED, FailureKind.LOWER_FAILED)

_WALL_FACTOR = 4


class WorkerOracle:
    """Asks one warm worker. ``session`` is called when the first answer is not in the store."""

    def __init__(
        self,
        store: RunStore,
        lock_sha256: str,
        job: AotJob,
        session: Callable[[], WorkerSession],
        budget_seconds: float,
    ) -> None:
        """Prepare.

        The budget is the worker's CPU seconds, imports excluded: on a machine that does nothing else they
        are wall seconds, and on a busy one the other work does not decide what is proved. Four times as
        much wall time is the end in any case.
        """
        self._store = store
        self._lock = lock_sha256
        self._job = job
        self._open = session
        self._budget = budget_seconds
        self._spent = 0.0
        self._deadline: float | None = None
        self._programs: dict[Variation, Program | Refusal] = {}
        self._settings: dict[Variation, Settings | Refusal] = {}
        self.lowered = 0

    def program(self, variation: Variation, *, fresh: bool = False) -> Program | Refusal:
        """Return the program of a variation, from memory, the store, or the worker."""
        if not fresh and variation in self._programs:
            return self._programs[variation]
        key = self._key("program-fresh" if fresh else "program", variation)
        answer = self._store.answer(key)
        if not isinstance(answer, Mapping):
            answer = self._ask("lower", variation, fresh=fresh)
            self.lowered += 1
            self._store.keep_answer(key, answer)
        found = _program(answer)
        self._programs.setdefault(variation, found)
        return found

    def settings(self, variation: Variation) -> Settings | Refusal:
        """Return the resolved configuration of a variation."""
        if variation not in self._settings:
            key = self._key("settings", variation)
            answer = self._store.answer(key)
            if not isinstance(answer, Mapping):
                answer = self._ask("resolve", variation)
                self._store.keep_answer(key, answer)
            self._settings[variation] = _settings(answer)
        return self._settings[variation]

    def _key(self, kind: str, variation: Variation) -> str:
        program = identity.program_key(self._varied(variation), self._lock, _omitted(variation))
        return identity.digest([kind, program])

    def _varied(self, variation: Variation) -> AotJob:
        added = tuple((key, value) for key, _, value in (word.partition("=") for word in variation.add))
        kept = tuple(pair for pair in self._job.overrides if pair[0] not in variation.omit)
        return replace(self._job, overrides=kept + added)

    def _ask(self, operation: str, variation: Variation, *, fresh: bool = False) -> Mapping[str, object]:
        session = self._open()
        if self._deadline is None:
            self._deadline = time.monotonic() + _WALL_FACTOR * self._budget
        if self._spent > self._budget or time.monotonic() > self._deadline:
            raise OutOfBudgetError
        fields = launch_fields(self._varied(variation))
        try:
            done = session.ask(operation, **fields, omit=sorted(_omitted(variation)), fresh=fresh)
        except WorkFailed as stopped:
            if stopped.failure.kind not in _ANSWERS:
                raise
            return {"refused": stopped.failure.message, "phase": stopped.failure.phase}
        seconds = done.get("cpu_seconds")
        self._spent += seconds if isinstance(seconds, int | float) else 0.0
        result = done["result"]
        return result if isinstance(result, Mapping) else {}


def _omitted(variation: Variation) -> frozenset[str]:
    """Return the keys to leave out everywhere; one that is added again is only replaced."""
    return variation.omit - {word.partition("=")[0] for word in variation.add}


def _program(answer: Mapping[str, object]) -> Program | Refusal:
    if "refused" in answer:
        return Refusal(str(answer["refused"]), str(answer["phase"]))
    return Program(str(answer["stablehlo_sha256"]), str(answer["beside_sha256"]))


def _settings(answer: Mapping[str, object]) -> Settings | Refusal:
    if "refused" in answer:
        return Refusal(str(answer["refused"]), str(answer["phase"]))
    config, groups = answer["config"], answer["groups"]
    assert isinstance(config, Mapping)  # noqa: S101 - the worker's own format
    assert isinstance(groups, Mapping)  # noqa: S101
    choices = answer.get("choices", {})
    assert isinstance(choices, Mapping)  # noqa: S101
    few = {key: tuple(values) for key, values in choices.items()}
    return Settings(identity.without_names_and_places(config), groups, few)

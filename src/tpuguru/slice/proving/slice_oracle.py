"""The oracle that runs the program on a virtual slice and hashes all that it sends to the compiler."""

from collections.abc import Iterable, Mapping

from tpuguru.base.ablation import Program, Refusal, Variation
from tpuguru.slice.command import ProgramCommand
from tpuguru.slice.proving.comparison import Comparer
from tpuguru.slice.proving.runs import Runs
from tpuguru.slice.proving.site import RunOutcome
from tpuguru.slice.proving.stops import Stop, up_to
from tpuguru.slice.proving.trace import Trace
from tpuguru.slice.proving.written import WrittenSetting, vary


class SliceOracle:
    """Answers what a variation of the command sends to the compiler up to ``stop``."""

    def __init__(
        self,
        runs: Runs,
        command: ProgramCommand,
        settings: Mapping[str, WrittenSetting],
        comparer: Comparer,
        stop: Stop,
    ) -> None:
        self._runs = runs
        self._command = command
        self._settings = settings
        self.comparer = comparer
        self.stop = stop

    def program(self, variation: Variation, *, fresh: bool = False) -> Program | Refusal:
        """Return the identity of all programs; ``fresh``: of a process that nothing was imported for."""
        outcome = self.outcome(variation, fresh=fresh)
        if outcome.failed:
            return Refusal(outcome.reason or outcome.last_words or f"it ended with code {outcome.code}",
                           phase="bound" if outcome.reason else "run")  # fmt: skip
        return self.comparer.program(self.trace(variation, fresh=fresh))

    def trace(self, variation: Variation, *, fresh: bool = False) -> Trace:
        """Return what the variation sent, up to the stop."""
        return up_to(self.outcome(variation, fresh=fresh).trace, self.stop)

    def outcome(self, variation: Variation, *, fresh: bool = False) -> RunOutcome:
        """Run the variation, or recall it."""
        return self._runs.run(*self._question(variation)[:2], fresh=fresh or self._needs_fresh(variation))

    def prepare(self, variations: Iterable[Variation]) -> None:
        """Run several beside each other."""
        self._runs.prepare(self._question(each) for each in variations)

    def _question(self, variation: Variation) -> tuple[ProgramCommand, Stop, bool]:
        command = vary(self._command, self._settings, variation)
        return command, self.stop, self._needs_fresh(variation)

    def _needs_fresh(self, variation: Variation) -> bool:
        """Tell whether a fork would come too late: variables may be read while modules are imported."""
        return any(self._settings[key].in_environment for key in variation.omit)

"""MaxText's side of ``tpuguru check``."""

from collections.abc import Sequence

from tpuguru.aot.record import Failure, FailureKind
from tpuguru.facts.factset import Facts
from tpuguru.facts.finding import Finding
from tpuguru.frameworks.compiling import Change, JobPlan
from tpuguru.frameworks.maxtext import changes, rejection
from tpuguru.frameworks.maxtext.defaults import NEWEST, versions
from tpuguru.frameworks.maxtext.facts import derive
from tpuguru.frameworks.maxtext.job import plan_job
from tpuguru.frameworks.maxtext.resolve import static_resolve, with_config
from tpuguru.frameworks.maxtext.target import require_target
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch


class MaxTextCompiling:
    """The object that ``tpuguru.frameworks.compiling`` looks for."""

    toolchain = f"maxtext=={NEWEST}"

    def refusals(self, launch: Launch, version: str) -> tuple[Finding, ...]:
        """Return what pyconfig would refuse by the table of ``version``; nothing when there is no table."""
        if version not in versions():
            return ()
        return tuple(static_resolve(launch, version).findings)

    def target(self, launch: Launch, slice_name: str) -> Target:
        """Return the slice."""
        return require_target(launch, slice_name)

    def facts(self, launch: Launch, target: Target, config: dict[str, object] | None) -> Facts:
        """Return SAID facts; the toolchain's values replace the table's."""
        resolution = static_resolve(launch)
        if config is not None:
            resolution = with_config(resolution, config)
        return derive(launch, resolution=resolution, target=target)

    def plan(self, launch: Launch, target: Target, toolchain: str, seconds: float) -> JobPlan:
        """Return the job."""
        return plan_job(launch, target, toolchain, seconds=seconds)

    def rejection(self, failure: Failure, launch: Launch) -> Finding:
        """Return MaxText's or libtpu's refusal as a finding."""
        if failure.kind is FailureKind.FLAG_REJECTED:
            return rejection.flag_finding(failure.message, launch)
        return rejection.rejection_finding(failure.message, launch)

    def changes(self, failure: Failure, facts: Facts) -> Sequence[Change]:
        """Return what to try."""
        return changes.changes_for(failure, facts)


COMPILING = MaxTextCompiling()

"""Which launch of a paste to check: the first, or the variant that was named."""

from collections.abc import Sequence

from tpuguru.base.errors import UsageError
from tpuguru.base.suggest import did_you_mean
from tpuguru.launch.model import Launch


def choose_launch(launches: Sequence[Launch], variant: str) -> tuple[Launch, tuple[Launch, ...]]:
    """Return the launch to check and the others. UsageError for a variant that the paste does not have."""
    if not variant:
        return launches[0], tuple(launches[1:])
    found = [launch for launch in launches if launch.variant == variant]
    if found:
        return found[0], tuple(launch for launch in launches if launch is not found[0])
    names = [launch.variant for launch in launches if launch.variant]
    near = did_you_mean(variant, names) or names
    raise UsageError(
        f"the paste has no variant {variant!r}",
        help=f"its variants: {', '.join(near)}" if near else "it has one launch only; leave --variant out",
    )


def described(launch: Launch) -> str:
    """Return a launch in a few words, for a list of those that were not checked."""
    place = f" at {launch.location}" if launch.location else ""
    variant = f" ({launch.variant})" if launch.variant else ""
    return f"{launch.framework} launch{variant}{place}"

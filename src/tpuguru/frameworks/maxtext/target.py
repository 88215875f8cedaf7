"""The slice a launch runs on: from ``--slice``, the launch's own keys, or what schedules it."""

from collections.abc import Callable, Iterator

from tpuguru.base.errors import UsageError
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.frameworks.maxtext.resolve import origin_of
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch, Setting


def target_of(launch: Launch, slice_name: str = "") -> Target | None:
    """Return the slice, or None when neither the option nor the launch names one.

    UsageError for a name that no chip or topology has.
    """
    from tpuguru.hardware.names import parse_slice  # noqa: PLC0415 - hardware data is read only when needed

    if slice_name:
        return Target(parse_slice(slice_name), Origin(OriginKind.OPTION, f"--slice {slice_name}"))
    for text, setting in _candidates(launch):
        return Target(parse_slice(text, location=setting.location), origin_of(setting))
    return None


def require_target(launch: Launch, slice_name: str = "") -> Target:
    """Return the slice; UsageError that asks for ``--slice`` when nothing names one."""
    target = target_of(launch, slice_name)
    if target is None:
        raise UsageError(
            "the launch does not say which slice it runs on",
            location=launch.location,
            help="name it: tpuguru check --slice v6e-256 … (also tpu7x:4x4x4, v5p-128, 2xv6e-256)",
        )
    return target


def _candidates(launch: Launch) -> Iterator[tuple[str, Setting]]:
    """Yield slice names that the launch holds, the most explicit first, with the slice count in front."""
    yield from _named(_lookup(launch), "slice", "")  # an option of ours, e.g. tpuguru lint --slice
    yield from _named(launch.setting, "compile_topology", "compile_topology_num_slices")
    for key in ("device_type", "accelerator_type"):
        yield from _named(_lookup(launch), key, "num_slices")
    yield from _kubernetes(launch)


def _named(find: Callable[[str], Setting | None], key: str, count_key: str) -> Iterator[tuple[str, Setting]]:
    setting = find(key)
    if setting is not None and isinstance(setting.text, str) and setting.text:
        yield _several(setting.text, find(count_key)), setting


def _kubernetes(launch: Launch) -> Iterator[tuple[str, Setting]]:
    find = _lookup(launch)
    accelerator, topology = find("gke_tpu_accelerator"), find("gke_tpu_topology")
    if accelerator is None or topology is None:
        return
    if isinstance(accelerator.text, str) and isinstance(topology.text, str):
        yield _several(f"{accelerator.text}:{topology.text}", find("num_slices")), topology


def _several(name: str, count: Setting | None) -> str:
    text = count.text if count is not None and isinstance(count.text, str) else ""
    return f"{text}x{name}" if text.isdigit() and int(text) > 1 else name


def _lookup(launch: Launch) -> Callable[[str], Setting | None]:
    by_key = {setting.key: setting for setting in launch.target if setting.overridden_by is None}
    return by_key.get

"""The mesh a launch asks for: axis sizes, -1 filled in, products against the slice, axes that exist no more.

MaxText multiplies the ``ici_*`` keys against the devices of one slice and the ``dcn_*`` keys against the
number of slices (``fill_unspecified_mesh_axes``); at most one of each may be -1. A key whose axis is not in
``mesh_axes`` is left out without a word, and with one slice the ``dcn_*`` keys are not looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.resolve import Resolved

# The configuration key of an axis is named after the axis, except for these.
_KEY_STEMS = {"stage": "pipeline", "model": "tensor"}
_BATCH_AXES = ("data", "fsdp", "fsdp_transpose", "expert")  # the rule «activation_batch» of base.yml


@dataclass(frozen=True, slots=True)
class AxisSizes:
    """Sizes along one network. A size is Unknown when -1 cannot be filled in or the text is not known."""

    sizes: Mapping[str, int | Unknown]
    stated: Mapping[str, int | Unknown]
    total: int | Unknown  # what the product has to be

    @property
    def unset_count(self) -> int:
        """How many axes were left at -1."""
        return sum(size == -1 for size in self.stated.values())

    @property
    def product(self) -> int | Unknown:
        """The product of the sizes, or why it is not known."""
        unknown = next((size for size in self.sizes.values() if isinstance(size, Unknown)), None)
        return unknown or prod(size for size in self.sizes.values() if isinstance(size, int))

    @property
    def matches(self) -> bool | Unknown:
        """Whether the product is the total; False too when no -1 could make it so."""
        if self.unset_count > 1:
            return False
        if isinstance(self.total, Unknown):
            return self.total
        stated = [size for size in self.stated.values() if size != -1]
        unknown = next((size for size in stated if isinstance(size, Unknown)), None)
        if unknown is not None:
            return unknown
        rest = prod(size for size in stated if isinstance(size, int))
        if self.unset_count:
            return rest > 0 and self.total % rest == 0
        return rest == self.total


@dataclass(frozen=True, slots=True)
class Mesh:
    """The mesh of a launch."""

    axes: tuple[str, ...]
    ici: AxisSizes
    dcn: AxisSizes
    dropped: tuple[str, ...]  # keys that ask for more than one on an axis the mesh does not have

    def size(self, axis: str) -> int | Unknown:
        """Return the devices along an axis over all slices; 1 for an axis the mesh does not have."""
        inner, outer = self.ici.sizes.get(axis, 1), self.dcn.sizes.get(axis, 1)
        if isinstance(inner, Unknown):
            return inner
        return outer if isinstance(outer, Unknown) else inner * outer

    def product(self, axes: Sequence[str]) -> int | Unknown:
        """Return the product of several axes' sizes."""
        sizes = [self.size(axis) for axis in axes]
        unknown = next((size for size in sizes if isinstance(size, Unknown)), None)
        return unknown or prod(size for size in sizes if isinstance(size, int))

    @property
    def batch_shards(self) -> int | Unknown:
        """How many ways the batch is split: data × fsdp × fsdp_transpose × expert."""
        return self.product(_BATCH_AXES)


def mesh_of(
    values: Mapping[str, Resolved],
    meshes: Mapping[str, Sequence[str]],
    devices_per_slice: int | Unknown,
    slices: int | Unknown,
) -> Mesh:
    """Return the mesh that resolved values describe on a slice."""
    axes = _axes(values, meshes)
    ici = _filled(_stated(values, axes, "ici"), devices_per_slice)
    dcn = _outer(_stated(values, axes, "dcn"), slices)
    return Mesh(axes, ici, dcn, _dropped(values, axes, slices))


def parallelism_key(network: str, axis: str) -> str:
    """Return the configuration key of an axis, e.g. ``ici_pipeline_parallelism`` for ``stage``."""
    return f"{network}_{_KEY_STEMS.get(axis, axis)}_parallelism"


def _axes(values: Mapping[str, Resolved], meshes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    custom = values.get("custom_mesh_and_rule")
    found = meshes.get(custom) if isinstance(custom, str) else None
    axes = found or values.get("mesh_axes")
    return tuple(str(axis) for axis in axes) if isinstance(axes, (list, tuple)) else ()


def _stated(values: Mapping[str, Resolved], axes: Sequence[str], network: str) -> dict[str, int | Unknown]:
    return {axis: _integer(values.get(parallelism_key(network, axis), 1)) for axis in axes}


def _integer(value: Resolved) -> int | Unknown:
    if isinstance(value, Unknown):
        return value
    return value if isinstance(value, int) else Unknown(f"{value!r} is not a whole number")


def _filled(stated: Mapping[str, int | Unknown], total: int | Unknown) -> AxisSizes:
    sizes = dict(stated)
    unset = [axis for axis, size in stated.items() if size == -1]
    for axis in unset:
        sizes[axis] = _fill(stated, total) if len(unset) == 1 else Unknown("more than one axis is -1")
    return AxisSizes(sizes, stated, total)


def _fill(stated: Mapping[str, int | Unknown], total: int | Unknown) -> int | Unknown:
    others = [size for size in stated.values() if size != -1]
    unknown = next((size for size in [total, *others] if isinstance(size, Unknown)), None)
    if unknown is not None or isinstance(total, Unknown):
        return unknown or Unknown("not known")
    rest = prod(size for size in others if isinstance(size, int))
    if rest > 0 and total % rest == 0:
        return total // rest
    return Unknown(f"{total} is not a multiple of {rest}")


def _outer(stated: Mapping[str, int | Unknown], slices: int | Unknown) -> AxisSizes:
    if slices == 1:  # MaxText builds the mesh without DCN then, whatever the keys say
        ones: dict[str, int | Unknown] = dict.fromkeys(stated, 1)
        return AxisSizes(ones, dict.fromkeys(stated, 1), 1)
    return _filled(stated, slices)


def _dropped(values: Mapping[str, Resolved], axes: Sequence[str], slices: int | Unknown) -> tuple[str, ...]:
    present = {parallelism_key(network, axis) for network in ("ici", "dcn") for axis in axes}
    networks = ("ici_",) if slices == 1 else ("ici_", "dcn_")
    return tuple(
        key
        for key, value in values.items()
        if key.startswith(("ici_", "dcn_"))
        and key.endswith("_parallelism")
        and key.startswith(networks)
        and key not in present
        and isinstance(value, int)
        and value not in (0, 1)
    )

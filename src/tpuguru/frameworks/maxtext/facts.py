"""Facts of a MaxText launch (``maxtext.*``, ``launch.*``, ``hw.*``), with the origin of each."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from tpuguru.facts.factset import Facts
from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.schema import Field
from tpuguru.facts.value import FactValue, Unknown, Value
from tpuguru.facts.vocabulary.maxtext import AXES
from tpuguru.frameworks.maxtext import paths
from tpuguru.frameworks.maxtext.batch import Batch, batch_of
from tpuguru.frameworks.maxtext.defaults import NEWEST, defaults
from tpuguru.frameworks.maxtext.mesh import Mesh, mesh_of
from tpuguru.frameworks.maxtext.paths import NotKnownError, Settings
from tpuguru.frameworks.maxtext.resolve import Resolution, Resolved, static_resolve
from tpuguru.frameworks.maxtext.target import target_of
from tpuguru.frameworks.target import Target
from tpuguru.launch.model import Launch, Setting

if TYPE_CHECKING:
    from tpuguru.hardware.slices import Slice

_NO_SLICE = Unknown("the launch names no slice", "--slice NAME")
_VMEM_FLAG = "--xla_tpu_scoped_vmem_limit_kib"


def derive(
    launch: Launch,
    *,
    slice_name: str = "",
    version: str = NEWEST,
    resolution: Resolution | None = None,
    target: Target | None = None,
) -> Facts:
    """Return every SAID fact that the launch settles.

    ``resolution`` replaces the static one, e.g. what the toolchain's pyconfig resolved; ``target`` the slice.
    UsageError for a slice that does not exist.
    """
    resolution = resolution or static_resolve(launch, version)
    target = target or target_of(launch, slice_name)
    facts = Facts()
    _put_settings(facts, resolution)
    _put_launch(facts, launch, target)
    _put_flags(facts, launch, resolution)
    mesh = _mesh(resolution, target.slice if target else None)
    _put_mesh(facts, mesh)
    settings = Settings(resolution.values)
    _put_batch(facts, settings, mesh, target)
    _put_model(facts, settings)
    _put_paths(facts, settings, tuple(resolution.stated))
    return facts


def _put_settings(facts: Facts, resolution: Resolution) -> None:
    for key, value in resolution.values.items():
        field = facts.schema.get(f"maxtext.config.{key}")
        if field is not None:
            facts.put(field.name, Value(_as_fact(value, field), resolution.origins[key]))


def _as_fact(value: Resolved, field: Field) -> FactValue | Unknown:
    if isinstance(value, list):
        return tuple(part for part in value if isinstance(part, (bool, int, float, str)))
    if value is None:
        return "" if field.type.value == "text" else Unknown(f"{field.name} is null: not set")
    return Unknown("a nested value") if isinstance(value, dict) else value


def _put_launch(facts: Facts, launch: Launch, target: Target | None) -> None:
    facts.set("launch.framework", "maxtext", OriginKind.COMMAND)
    facts.set("launch.entry_point", launch.entry_point, OriginKind.COMMAND)
    losers = [setting for setting in launch.settings if setting.overridden_by is not None]
    _put_keys(facts, "launch.duplicate_settings", losers, OriginKind.COMMAND)
    if target is None:
        return
    from tpuguru.hardware.facts import hardware_facts  # noqa: PLC0415 - hardware data is read only when needed

    for name, value in hardware_facts(target.slice, target.origin):
        facts.put(name, value)
    chosen = target.slice
    for name, value_ in (
        ("accelerator", chosen.chip.name),
        ("slice", chosen.text),
        ("devices", chosen.devices),
        ("chips", chosen.chips),
        ("hosts", chosen.hosts),
        ("slices", chosen.slices),
    ):
        facts.put(f"launch.{name}", Value(value_, target.origin))


def _put_flags(facts: Facts, launch: Launch, resolution: Resolution) -> None:
    facts.set("maxtext.stated", tuple(dict.fromkeys(resolution.stated)), OriginKind.COMMAND)
    winners = [flag for flag in launch.compiler_flags if flag.overridden_by is None]
    losers = [flag for flag in launch.compiler_flags if flag.overridden_by is not None]
    _put_keys(facts, "maxtext.flags.names", winners, OriginKind.ENVIRONMENT)
    _put_keys(facts, "maxtext.flags.duplicates", losers, OriginKind.ENVIRONMENT)
    written = tuple(f"{flag.key}={flag.text}" for flag in winners if isinstance(flag.text, str) and flag.text)
    place = next((flag.location for flag in winners if flag.location), None)
    facts.put("maxtext.flags.written", Value(written, Origin(OriginKind.ENVIRONMENT, location=place)))
    limit = next((flag for flag in winners if flag.key == _VMEM_FLAG), None)
    if limit is not None and isinstance(limit.text, str) and limit.text.isdigit():
        origin = Origin(OriginKind.ENVIRONMENT, location=limit.location)
        facts.put("maxtext.flags.scoped_vmem_kib", Value(int(limit.text), origin))


def _put_keys(facts: Facts, name: str, settings: list[Setting], kind: OriginKind) -> None:
    """Set a fact that lists keys, each once; its place is that of the first of them."""
    place = next((setting.location for setting in settings if setting.location), None)
    keys = tuple(dict.fromkeys(setting.key for setting in settings))
    facts.put(name, Value(keys, Origin(kind, location=place)))


def _mesh(resolution: Resolution, chosen: "Slice | None") -> Mesh:
    per_slice = chosen.devices_per_slice if chosen else _NO_SLICE
    slices = chosen.slices if chosen else _NO_SLICE
    return mesh_of(resolution.values, defaults(resolution.version).meshes, per_slice, slices)


def _put_mesh(facts: Facts, mesh: Mesh) -> None:
    derived = _Derived(facts)
    derived.put("maxtext.mesh.axes", mesh.axes, "mesh_axes")
    for axis in AXES:
        derived.put(f"maxtext.mesh.{axis}", mesh.size(axis), "mesh_axes")
        derived.put(f"maxtext.ici.{axis}", mesh.ici.sizes.get(axis, 1), f"ici_{axis}_parallelism")
        derived.put(f"maxtext.dcn.{axis}", mesh.dcn.sizes.get(axis, 1), f"dcn_{axis}_parallelism")
    derived.put("maxtext.mesh.ici_product", mesh.ici.product)
    derived.put("maxtext.mesh.dcn_product", mesh.dcn.product)
    derived.put("maxtext.mesh.devices_per_slice", mesh.ici.total)
    derived.put("maxtext.mesh.ici_matches", mesh.ici.matches)
    derived.put("maxtext.mesh.dcn_matches", mesh.dcn.matches)
    derived.put("maxtext.mesh.ici_unset_count", mesh.ici.unset_count)
    derived.put("maxtext.mesh.dcn_unset_count", mesh.dcn.unset_count)
    derived.put("maxtext.mesh.dropped_axes", mesh.dropped, *mesh.dropped)


def _put_batch(facts: Facts, settings: Settings, mesh: Mesh, target: Target | None) -> None:
    derived = _Derived(facts)
    derived.compute(
        "batch.per_device", lambda: settings.number("per_device_batch_size"), "per_device_batch_size"
    )
    fractional = "per_device_batch_size"
    derived.compute("batch.fractional", lambda: settings.number(fractional) < 1, fractional)
    derived.put("maxtext.batch.shards", mesh.batch_shards)
    if target is None:
        return
    try:
        batch = batch_for(settings, target.slice.devices)
    except NotKnownError as error:
        derived.put("maxtext.batch.global_trained", error.unknown)
        return
    keys = ("per_device_batch_size", "gradient_accumulation_steps", "expansion_factor_real_data")
    derived.put("maxtext.batch.micro_trained", batch.micro_trained, *keys)
    derived.put("maxtext.batch.global_trained", batch.global_trained, *keys)
    derived.put("maxtext.batch.global_loaded", batch.global_loaded, *keys)
    derived.put("maxtext.batch.dropped_fraction", batch.dropped_fraction, *keys)
    length = lambda: batch.global_trained * settings.integer("max_target_length")  # noqa: E731
    derived.compute("batch.tokens_per_step", length, *keys, "max_target_length")
    if isinstance(mesh.batch_shards, int) and mesh.batch_shards > 0:
        derived.put("maxtext.batch.divides", batch.micro_trained % mesh.batch_shards == 0, *keys)


def batch_for(settings: Settings, devices: int) -> Batch:
    """Return the batch sizes on ``devices``. NotKnownError when a key they need is not known."""
    return batch_of(
        settings.number("per_device_batch_size"),
        devices,
        settings.integer("gradient_accumulation_steps"),
        settings.number("expansion_factor_real_data"),
    )


def _put_model(facts: Facts, settings: Settings) -> None:
    derived = _Derived(facts)
    derived.compute("model.name", lambda: settings.text("model_name"), "model_name")
    models = defaults().models
    known = lambda: settings.text("model_name").replace("-Instruct", "") in models  # noqa: E731
    derived.compute("model.known", known, "model_name")
    derived.compute("model.decoder_block", lambda: settings.text("decoder_block"), "decoder_block")
    derived.compute("model.moe", lambda: settings.integer("num_experts") > 1, "num_experts")
    for name, key in _DIMENSIONS:
        derived.compute(f"model.{name}", partial(settings.integer, key), key)


_DIMENSIONS = (
    ("layers", "num_decoder_layers"),
    ("emb_dim", "emb_dim"),
    ("mlp_dim", "mlp_dim"),
    ("moe_mlp_dim", "moe_mlp_dim"),
    ("query_heads", "num_query_heads"),
    ("kv_heads", "num_kv_heads"),
    ("head_dim", "head_dim"),
    ("vocab", "vocab_size"),
    ("experts", "num_experts"),
    ("experts_per_token", "num_experts_per_tok"),
)


def _put_paths(facts: Facts, settings: Settings, stated: tuple[str, ...]) -> None:
    derived = _Derived(facts)
    compute, text = derived.compute, settings.text
    compute("attention.asked", lambda: text("attention"), "attention")
    compute("attention.expected", lambda: paths.attention_expected(settings), "attention")
    compute("splash.kernel", lambda: paths.splash_kernel(settings), "use_tokamax_splash", "use_jax_splash")
    compute("splash.separate_dq", lambda: paths.separate_dq(settings), "sa_use_fused_bwd_kernel")
    compute("moe.path", lambda: paths.moe_path(settings), "sparse_matmul", "use_tokamax_gmm", "megablox")
    for name in ("asked", "library", "effective", "covers_experts", "scale"):
        read = lambda name=name: getattr(paths.quantization(settings), name)  # noqa: E731
        compute(f"quantization.{name}", read, "quantization", "use_qwix_quantization")
    compute("remat.policy", lambda: text("remat_policy"), "remat_policy")
    compute("remat.offloaded", lambda: paths.remat_tensors(settings, "offload"), "remat_policy")
    compute("remat.on_device", lambda: paths.remat_tensors(settings, "device"), "remat_policy")
    compute("remat.ignored", lambda: paths.remat_ignored(settings, stated), "remat_policy")
    compute("dtype.activations", lambda: text("dtype"), "dtype")
    compute("dtype.weights", lambda: text("weight_dtype"), "weight_dtype")
    compute("dtype.gradients", lambda: text("grad_dtype"), "grad_dtype")
    compute("dtype.moments", lambda: text("mu_dtype") or text("weight_dtype"), "mu_dtype", "weight_dtype")
    compute("optimizer.name", lambda: text("opt_type"), "opt_type")
    compute("data.source", lambda: text("dataset_type"), "dataset_type")
    compute("data.path_ignored", lambda: paths.data_path_ignored(settings, stated), "dataset_type")


class _Derived:
    """Puts derived facts; their origin names the settings they came from and where one was written."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def put(self, name: str, value: FactValue | Unknown, *keys: str) -> None:
        inputs = tuple(f"maxtext.config.{key}" for key in keys)
        places = (self.facts.get(name).origin for name in inputs if name in self.facts)
        location = next((origin.location for origin in places if origin.location), None)
        self.facts.put(name, Value(value, Origin(OriginKind.DERIVED, location=location, inputs=inputs)))

    def compute(self, name: str, work: Callable[[], FactValue], *keys: str) -> None:
        try:
            value: FactValue | Unknown = work()
        except NotKnownError as error:
            value = error.unknown
        self.put(f"maxtext.{name}", value, *keys)

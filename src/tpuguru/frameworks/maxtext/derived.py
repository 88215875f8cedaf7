"""Values that pyconfig fills in from other keys (``set_derived_and_validate_values``, MaxText 0.2.5).

Only those that need neither the slice nor the machine; a test holds every other key equal to pyconfig's.
"""

from collections.abc import Iterator

from tpuguru.facts.origin import Origin, OriginKind
from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.paths import NotKnownError, Settings, remat_tensors
from tpuguru.frameworks.maxtext.resolve import Resolution, Resolved

_SAME_AS = {
    "learning_rate_schedule_steps": "steps",
    "eval_per_device_batch_size": "per_device_batch_size",
    "mu_dtype": "weight_dtype",
}
_UNSET = (None, "", -1, 0.0)
_SOFT_CAPS = ("attn_logits_soft_cap", "final_logits_soft_cap")
_DIMENSIONS = {
    "emb_dim": ("base_emb_dim", "width"),
    "mlp_dim": ("base_mlp_dim", "heads"),
    "moe_mlp_dim": ("base_moe_mlp_dim", "heads"),
    "num_query_heads": ("base_num_query_heads", "heads"),
    "num_kv_heads": ("base_num_kv_heads", "heads"),
    "num_decoder_layers": ("base_num_decoder_layers", "layers"),
}


def fill_derived(resolution: Resolution) -> None:
    """Put the derived values into the resolution, each with the key it comes from as its origin."""
    settings = Settings(resolution.values)
    for key, source in (*_copies(resolution), *_SAME_AS.items()):
        if key in resolution.values and resolution.values[key] in _UNSET:
            resolution.put(key, resolution.values.get(source), _origin(source))
    for key in _SOFT_CAPS:
        if resolution.values.get(key) == 0.0:
            resolution.put(key, None, resolution.origins[key])
    for key, (source, power) in _DIMENSIONS.items():
        resolution.put(key, _scaled(settings, source, power), _origin(source, "global_parameter_scale"))
    if resolution.values.get("remat_policy") == "custom":
        for key, place in (("tensors_on_device", "device"), ("tensors_to_offload", "offload")):
            resolution.put(key, _tensors(settings, place), _origin("remat_policy"))


def _copies(resolution: Resolution) -> Iterator[tuple[str, str]]:
    """Yield each key of local attention with the global key that it takes its value from."""
    for key in resolution.values:
        head, found, tail = key.partition("local_")
        if found and head in ("", "eval_") and tail.startswith(("sa_", "use_splash")):
            yield key, head + tail


def _tensors(settings: Settings, place: str) -> Resolved:
    try:
        return list(remat_tensors(settings, place))
    except NotKnownError as error:
        return error.unknown


def _scaled(settings: Settings, key: str, power: str) -> Resolved:
    try:
        factor: int = 2 ** scale_powers(settings.integer("global_parameter_scale"))[power]
        return settings.integer(key) * factor
    except NotKnownError as error:
        return error.unknown


def scale_powers(parameter_scale: int) -> dict[str, int]:
    """Return the powers of two that ``global_parameter_scale`` adds (MaxText's get_individual_scales)."""
    if parameter_scale <= 0:
        raise NotKnownError(Unknown("global_parameter_scale must be a positive power of two"))
    layers, rest = divmod(parameter_scale.bit_length() - 1, 3)
    return {"layers": layers, "heads": layers + (rest > 0), "width": layers + (rest > 1)}


def _origin(*keys: str) -> Origin:
    return Origin(OriginKind.DERIVED, inputs=tuple(f"maxtext.config.{key}" for key in keys))

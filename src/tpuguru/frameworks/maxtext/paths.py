"""Which code the settings lead to: attention, experts, quantisation, remat. Read from MaxText 0.2.5's source.

These are expectations; the compile shows what happened (``compiled.*`` facts).
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tpuguru.facts.value import Unknown
from tpuguru.frameworks.maxtext.resolve import Resolved

# The tensors that remat_policy=custom reads (configs/types.py, set_derived_and_validate_values).
CUSTOM_REMAT_TENSORS = (
    "decoder_layer_input",
    "indexer_cutoff_threshold",
    "context",
    "mlpwi",
    "moe_mlpwi_0",
    "moe_x_sorted",
    "moe_routing_maps",
    "moe_mlpwi_1",
    "moe_mlpwo",
    "mlpwi_0",
    "mlpwi_1",
    "mlpwo",
    "query_proj",
    "key_proj",
    "value_proj",
    "kv_proj",
    "query_wa_proj",
    "kv_wa_proj",
    "mla_kv",
    "mla_q",
    "qkv_proj",
    "attention_out",
    "out_proj",
)

# What get_qt_provider of layers/quantizations.py has a case for; anything else quantises nothing under Qwix.
_QWIX_TYPES = {
    "int4",
    "int8",
    "fp4",
    "fp4_e2m1",
    "fp8",
    "fp8_e5m2",
    "fp8_e4m3",
    "fp8_full",
    "fp8_gpu",
    "fp8_nanoo",
}
_LARGEST = 1e18  # far above any size or count of a launch
_SHORTEST_SPLASH_SEQUENCE = 128  # attention_op.py: autoselected takes dot_product below it
_DATA_PATHS = {
    "tfds": ("dataset_path", "dataset_name"),
    "hf": ("hf_path", "hf_train_files"),
    "grain": ("grain_train_files", "grain_train_mixture_config_path"),
}


class Settings:
    """Resolved values with the reads that the derivations need; an unknown value makes the answer unknown."""

    def __init__(self, values: Mapping[str, Resolved]) -> None:
        """Keep the values."""
        self.values = values

    def text(self, key: str) -> str:
        """Return a text; null reads as empty. NotKnownError when unknown."""
        value = self._known(key)
        return "" if value is None else str(value)

    def flag(self, key: str) -> bool:
        """Return a boolean. NotKnownError when unknown."""
        return bool(self._known(key))

    def number(self, key: str) -> float:
        """Return a number. NotKnownError when unknown, null, or too large to compute with."""
        value = self._known(key)
        if isinstance(value, (int, float)) and abs(value) < _LARGEST:  # false for infinity and NaN too
            return value
        raise NotKnownError(Unknown(f"{key} is not a number to compute with"))

    def integer(self, key: str) -> int:
        """Return a whole number. NotKnownError when unknown or null."""
        return int(self.number(key))

    def _known(self, key: str) -> Resolved:
        value = self.values.get(key)
        if isinstance(value, Unknown):
            raise NotKnownError(value)
        return value


class NotKnownError(LookupError):
    """A value that a derivation needs is not known."""

    def __init__(self, unknown: Unknown) -> None:
        """Keep why."""
        super().__init__(unknown.reason)
        self.unknown = unknown


@dataclass(frozen=True, slots=True)
class Quantization:
    """What the quantisation keys lead to."""

    asked: str
    library: str
    effective: bool
    covers_experts: bool
    scale: str


def attention_expected(settings: Settings) -> str:
    """Return ``splash``, ``dot_product`` or the setting itself for training on a TPU."""
    asked = settings.text("attention")
    if asked == "flash":
        return "splash"
    if asked == "autoselected":
        short = settings.number("max_target_length") < _SHORTEST_SPLASH_SEQUENCE
        return "dot_product" if short else "splash"
    return asked


def splash_kernel(settings: Settings) -> str:
    """Return which splash kernel runs: MaxText asks for Tokamax first, then JAX's, else its own copy."""
    if attention_expected(settings) != "splash":
        return "none"
    if settings.flag("use_tokamax_splash"):
        return "tokamax"
    return "jax" if settings.flag("use_jax_splash") else "pallas"


def separate_dq(settings: Settings) -> bool:
    """Tell whether the backward pass has a dq kernel; the fused and the Tokamax kernels have none."""
    return splash_kernel(settings) == "pallas" and not settings.flag("sa_use_fused_bwd_kernel")


def moe_path(settings: Settings) -> str:
    """Return how experts are computed: sparse_matmul decides first, then use_tokamax_gmm, then megablox."""
    if settings.integer("num_experts") <= 1:
        return "dense"
    if settings.flag("sparse_matmul"):
        if settings.flag("use_tokamax_gmm"):
            return "tokamax"
        return "megablox" if settings.flag("megablox") else "ragged_dot"
    return "capacity" if settings.number("capacity_factor") > 0 else "dense_matmul"


def quantization(settings: Settings) -> Quantization:
    """Return the library that quantises and what it reaches."""
    asked = settings.text("quantization")
    if not asked:
        return Quantization("", "none", effective=False, covers_experts=False, scale="none")
    library = _library(asked, qwix=settings.flag("use_qwix_quantization"))
    effective = library != "qwix" or asked in _QWIX_TYPES
    grouped = settings.integer("num_experts") > 1 and settings.flag("sparse_matmul")
    # Qwix's rules for the other types list dot_general only, so a grouped matmul stays in bf16.
    covers = effective and (not grouped or asked == "fp8_full" or library == "aqt")
    return Quantization(asked, library, effective, covers, _scale(settings) if effective else "none")


def _library(asked: str, *, qwix: bool) -> str:
    if qwix:
        return "qwix"
    if asked.startswith("te_"):
        return "te"
    return "native" if asked in ("fp8", "nanoo_fp8", "serve_fp8_weight") else "aqt"


def _scale(settings: Settings) -> str:
    methods = (settings.text(f"{side}_quantization_calibration_method") for side in ("weight", "act"))
    static = all(method.startswith("fixed") for method in methods)
    return "static" if static or settings.text("constant_bound_config") not in ("", "[]") else "dynamic"


def remat_tensors(settings: Settings, place: str) -> tuple[str, ...]:
    """Return the tensors that ``remat_policy=custom`` puts on ``device`` or ``offload``; none otherwise."""
    if settings.text("remat_policy") != "custom":
        return ()
    return tuple(name for name in CUSTOM_REMAT_TENSORS if settings.text(name) == place)


def remat_ignored(settings: Settings, stated: tuple[str, ...]) -> tuple[str, ...]:
    """Return the per-tensor keys that the user set while the policy in force does not read them."""
    if settings.text("remat_policy") == "custom":
        return ()
    return tuple(
        name
        for name in CUSTOM_REMAT_TENSORS
        if name in stated and settings.text(name) in ("device", "offload")
    )


def data_path_ignored(settings: Settings, stated: tuple[str, ...]) -> bool:
    """Tell whether a data path is set that belongs to another dataset_type than the one in force."""
    source = settings.text("dataset_type")
    others = [key for name, keys in _DATA_PATHS.items() if name != source for key in keys]
    mine = _DATA_PATHS.get(source, ())
    return any(key in stated and key not in mine and settings.text(key) for key in others)

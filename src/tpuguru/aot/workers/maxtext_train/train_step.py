"""MaxText's pre-training step for hardware that is not here: mesh, abstract state, trace, lower."""

import contextlib
import functools
import time
from dataclasses import dataclass, field
from typing import Any

from worker_kit.failure import phase
from worker_kit.program import fingerprint

from maxtext_train.framework import framework


@dataclass
class LoweredStep:
    """A lowered train step with what is known about it before a compile."""

    lowered: Any
    config: Any
    mesh: dict[str, int]
    devices: list[int]
    seconds: dict[str, float] = field(default_factory=dict)

    def identity(self) -> dict:
        """Return the fingerprint, text included."""
        return fingerprint(self.lowered, self.devices)


def build(config: Any) -> LoweredStep:
    """Lower the step of ``config``. WorkFailure names the phase: mesh, state, trace or lower."""
    maxtext, clock = framework(), _Clock()
    _cross_compile_kernels(config)
    _partitioner(config)
    with phase("mesh"):
        maxtext.train_compile.validate_config(config)
        mesh = maxtext.train_compile.get_topology_mesh(config)
    clock.lap("mesh")
    with phase("state"):
        function, arguments, options = _signature(config, mesh)
    clock.lap("state")
    jax = maxtext.jax
    drjax_mesh = mesh if config.enable_diloco else contextlib.nullcontext()
    rules = maxtext.train_compile.axis_rules(config.logical_axis_rules)
    with jax.set_mesh(mesh), drjax_mesh, rules:
        with phase("trace"):
            traced = jax.jit(function, **options).trace(*arguments)
        clock.lap("trace")
        with phase("lower"):
            lowered = traced.lower()
        clock.lap("lower")
    devices = [int(device.id) for device in mesh.devices.flat]
    axes = {str(name): int(size) for name, size in mesh.shape.items()}
    return LoweredStep(lowered, config, axes, devices, clock.seconds)


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        now = time.monotonic()
        self.seconds[name] = round(now - self._last, 3)
        self._last = now


def _cross_compile_kernels(config: Any) -> None:
    """Let tokamax choose the TPU's kernels although no TPU is here.

    It looks at the local device otherwise.
    """
    wanted = any(value for key, value in config.get_keys().items() if key.startswith("use_tokamax"))
    try:
        from absl import flags

        flags.FLAGS["tokamax_cross_compile"].value = wanted
    except KeyError:  # a MaxText without tokamax has nothing to choose
        return


def _partitioner(config: Any) -> None:
    """Choose the partitioner as MaxText's trainer does.

    Train_compile leaves JAX's default, whatever ``shardy`` says.
    """
    if hasattr(config, "shardy"):
        framework().jax.config.update("jax_use_shardy_partitioner", config.shardy)


def _signature(config: Any, mesh: Any) -> tuple:
    """Return the step function, its abstract arguments, and the options of ``jax.jit`` for it."""
    maxtext = framework()
    arguments, _, state_shardings, _, model = maxtext.train_compile.get_shaped_inputs(mesh, config)
    parameters, state_shardings = maxtext.sharding.maybe_update_params_sharding_with_opt(
        config, state_shardings
    )
    data = maxtext.sharding.get_input_data_sharding(config, mesh)
    if config.enable_diloco:
        return _diloco(config, mesh, arguments, model, state_shardings, parameters, data)
    inputs = maxtext.sharding.build_zero1_input_state_mesh_shardings(config, state_shardings, parameters)
    function, ins, outs, static, donated = maxtext.maxtext_utils.get_functional_train_with_signature(
        maxtext.train.train_step, data, inputs, model, config, parameters
    )
    return function, arguments, _jit_options(ins, outs, static, donated)


def _diloco(config, mesh, arguments, model, state_shardings, parameters, data) -> tuple:
    """Return the same for DiLoCo, where an outer step wraps the train step."""
    maxtext = framework()
    diloco = maxtext.train_compile.diloco
    state, shardings, inner = diloco.build_abstract_diloco_state(config, arguments[0], state_shardings, mesh)
    inner_step = functools.partial(maxtext.train.train_step, model, config, inner, parameters)
    step = diloco.build_diloco_train_step(config, inner_step)
    step.__name__ = "train_step"
    random = arguments[2] if len(arguments) > 2 else None
    return (
        step,
        (state, arguments[1], random),
        _jit_options((shardings, data, None), (shardings, None), (), 0),
    )


def _jit_options(ins: Any, outs: Any, static: Any, donated: Any) -> dict:
    return {"in_shardings": ins, "out_shardings": outs, "static_argnums": static, "donate_argnums": donated}

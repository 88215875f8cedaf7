"""Checks of JAX on a virtual tpu7x:2x2x1; each prints one JSON line. Run by tests/slice/test_jax.py."""

import functools
import json
import resource
import sys
import tempfile
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P

CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def mesh(axis="x"):
    return Mesh(np.array(jax.devices()), (axis,))


@check
def devices():
    first = jax.devices()[0]
    places = {(*each.coords, each.core_on_chip) for each in jax.devices()}
    assert len(places) == 8, places
    return {
        "count": jax.device_count(),
        "kind": first.device_kind,
        "slice_index": first.slice_index,
        "limit": first.memory_stats()["bytes_limit"],
        "process_count": jax.process_count(),
    }


@check
def host_arrays_round_trip():
    for dtype in ("float32", "bfloat16", "int8", "bool", "complex64", "float16", "uint32", "float8_e4m3fn"):
        host = (np.arange(24).reshape(2, 3, 4) % 5).astype(jnp.dtype(dtype))
        for view in (host, host.transpose(2, 0, 1), host[:, ::2, :]):
            device = jax.device_put(view, jax.devices()[3])
            back = np.asarray(device)
            assert back.dtype == view.dtype and (back == view).all(), (dtype, view.strides)
            assert device.devices() == {jax.devices()[3]}
    empty = np.asarray(jax.device_put(np.zeros((0, 3), np.float32)))
    assert empty.shape == (0, 3)


@check
def operations_have_values():
    assert (np.asarray(jnp.arange(8) * 2 + 1) == np.arange(8) * 2 + 1).all()
    assert float(jnp.sin(jnp.float32(1.0))) == np.float32(np.sin(1.0))
    moved = jax.device_put(jnp.ones((4,)), jax.devices()[5])
    assert float(moved.sum()) == 4.0


@check
def sharded_jit():
    sharding = NamedSharding(mesh(), P("x", None))
    host = np.arange(64 * 32, dtype=np.float32).reshape(64, 32) / 1000
    array = jax.device_put(host, sharding)
    function = jax.jit(lambda a: a.T @ a, out_shardings=NamedSharding(mesh(), P()))
    compiled = function.lower(array).compile()
    np.testing.assert_allclose(np.asarray(function(array)), host.T @ host, rtol=1e-5)
    memory = compiled.memory_analysis()
    text = compiled.as_text()
    assert "all-reduce" in text and memory.argument_size_in_bytes > 0
    return {"flops": compiled.cost_analysis()["flops"], "argument": memory.argument_size_in_bytes}


@check
def shard_map_psum():
    function = jax.shard_map(lambda a: jax.lax.psum(a, "x"), mesh=mesh(), in_specs=P("x"), out_specs=P())
    out = jax.jit(function)(jnp.arange(16.0))
    assert np.asarray(out).tolist() == (np.arange(16.0).reshape(8, 2).sum(0)).tolist()


@check
def donation():
    array = jax.device_put(np.ones((1024, 1024), np.float32))
    array.block_until_ready()
    before = jax.devices()[0].memory_stats()["bytes_in_use"]
    out = jax.jit(lambda a: a + 1, donate_argnums=0)(array)
    after = jax.devices()[0].memory_stats()["bytes_in_use"]
    assert array.is_deleted() and after == before, (before, after)
    assert float(out[0, 0]) == 2.0
    try:
        array + 1
    except RuntimeError as error:
        assert "deleted" in str(error)
    else:
        raise AssertionError("a donated array could be used")


@check
def keeping_what_is_not_donated():
    before = jax.devices()[0].memory_stats()["bytes_in_use"]
    array = jax.device_put(np.ones((1024, 1024), np.float32))
    out = jax.jit(lambda a: a + 1)(array)
    held = jax.devices()[0].memory_stats()["bytes_in_use"] - before
    assert held == 2 * 4 * 1024 * 1024, held
    del array, out
    assert jax.devices()[0].memory_stats()["bytes_in_use"] == before


@check
def padding_is_counted():
    """An f32[3,5] takes a whole (8,128) tile, as the compiler's own argument size says."""
    array = jax.device_put(np.ones((3, 5), np.float32))
    compiled = jax.jit(lambda a: a * 2).lower(array).compile()
    size = array.addressable_data(0).on_device_size_in_bytes()
    assert size == compiled.memory_analysis().argument_size_in_bytes, size
    return {"bytes": size}


@check
def training_step():
    params = {"w": jnp.full((16, 4), 0.1), "b": jnp.zeros((4,))}
    x, y = jnp.ones((8, 16)), jnp.full((8, 4), 2.0)

    def loss(p):
        return jnp.mean((x @ p["w"] + p["b"] - y) ** 2)

    step = jax.jit(lambda p: jax.tree.map(lambda a, g: a - 0.05 * g, p, jax.grad(loss)(p)))
    losses = []
    for _ in range(4):
        losses.append(float(loss(params)))
        params = step(params)
    assert losses == sorted(losses, reverse=True) and losses[-1] < losses[0] / 2
    return {"losses": losses}


@check
def flash_attention():
    from jax.experimental.pallas.ops.tpu import flash_attention as kernel

    shape = jax.ShapeDtypeStruct((1, 4, 1024, 128), jnp.bfloat16)
    compiled = jax.jit(kernel.flash_attention).lower(shape, shape, shape).compile()
    assert "tpu_custom_call" in compiled.as_text()
    q = jnp.ones((1, 4, 1024, 128), jnp.bfloat16)
    out = jax.jit(kernel.flash_attention)(q, q, q)
    assert float(out[0, 0, 0, 0]) == 1.0  # the kernel is interpreted: it averages ones


@check
def splash_attention_and_gradient():
    from jax.experimental.pallas.ops.tpu.splash_attention import (
        splash_attention_kernel,
        splash_attention_mask,
    )

    mask = splash_attention_mask.MultiHeadMask(
        [splash_attention_mask.CausalMask((1024, 1024)) for _ in range(4)]
    )
    kernel = splash_attention_kernel.make_splash_mha(mask=mask, head_shards=1, q_seq_shards=1)
    q = jnp.ones((4, 1024, 128), jnp.bfloat16)
    value, gradient = jax.jit(jax.value_and_grad(lambda a: kernel(a, q, q).astype(jnp.float32).sum()))(q)
    assert gradient.shape == q.shape


@check
def known_and_unknown_outputs_of_one_program():
    """A program with a kernel that only a TPU can run still gives the outputs that do not depend on it."""
    from jax.experimental import pallas as pl
    from jax.experimental.pallas import tpu as pltpu

    def kernel(out):
        pltpu.prng_seed(0)
        out[...] = pltpu.prng_random_bits(out.shape)

    draw = pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.uint32))
    known, unknown = jax.jit(lambda a: (a * 3, draw().astype(jnp.float32) * 1.5))(jnp.arange(4.0))
    assert np.asarray(known).tolist() == [0, 3, 6, 9]
    assert np.isnan(np.asarray(unknown)).all()


@check
def parameters_bigger_than_this_machine():
    sharding = NamedSharding(mesh(), P("x", None))
    make = jax.jit(
        lambda: [jnp.full((16384, 16384), i, jnp.bfloat16) for i in range(64)], out_shardings=[sharding] * 64
    )
    before = jax.devices()[0].memory_stats()["bytes_in_use"]
    arrays = make()
    held = jax.devices()[0].memory_stats()["bytes_in_use"] - before
    del arrays
    rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    assert held == 64 * 16384 * 16384 * 2 // 8, held
    return {"held": held, "rss": rss}


@check
def a_full_device_says_so():
    arrays, error = [], None
    make = jax.jit(lambda: jnp.zeros((32 * 1024, 64 * 1024), jnp.float32))  # 8 GiB
    try:
        for _ in range(13):
            arrays.append(make())
            arrays[-1].block_until_ready()
    except Exception as raised:  # the class depends on JAX's version
        error = raised
    count = len(arrays)
    del arrays
    assert error is not None and "RESOURCE_EXHAUSTED" in str(error), repr(error)
    assert "made by jit__lambda" in str(error) and "8.00 GiB" in str(error), str(error)
    return {"count": count, "class": type(error).__name__}


@check
def host_memory():
    device = jax.devices()[0]
    before = device.memory_stats()["bytes_in_use"]
    sharding = jax.sharding.SingleDeviceSharding(device, memory_kind="pinned_host")
    array = jax.device_put(np.ones((256, 256), np.float32), sharding)
    assert array.sharding.memory_kind == "pinned_host"
    assert device.memory_stats()["bytes_in_use"] == before
    back = jax.device_put(array, jax.sharding.SingleDeviceSharding(device, memory_kind="device"))
    assert device.memory_stats()["bytes_in_use"] > before and float(back[0, 0]) == 1.0
    return {"kinds": sorted(memory.kind for memory in device.addressable_memories())}


@check
def layouts():
    from jax.experimental.layout import Format, Layout

    compiled = jax.jit(lambda a: a.T * 2).lower(jax.ShapeDtypeStruct((256, 128), jnp.float32)).compile()
    assert compiled.output_formats.layout.major_to_minor in ((0, 1), (1, 0))
    wanted = Format(Layout((1, 0)), jax.sharding.SingleDeviceSharding(jax.devices()[0]))
    out = jax.jit(lambda a: a * 2, out_shardings=wanted)(jnp.ones((256, 128)))
    assert out.format.layout.major_to_minor == (1, 0)
    assert float(out[1, 1]) == 2.0


@check
def profiler_trace():
    with tempfile.TemporaryDirectory() as folder, jax.profiler.trace(folder):
        (jnp.ones((8, 8)) @ jnp.ones((8, 8))).block_until_ready()


@check
def export_and_call():
    exported = jax.export.export(jax.jit(lambda a: a * 3))(jax.ShapeDtypeStruct((4,), jnp.float32))
    again = jax.export.deserialize(exported.serialize())
    assert np.asarray(again.call(jnp.ones(4))).tolist() == [3.0] * 4


@check
def process_allgather():
    from jax.experimental import multihost_utils

    assert np.asarray(multihost_utils.process_allgather(np.arange(3))).ravel().tolist() == [0, 1, 2]


@check
def addresses():
    one, two = jnp.ones(8), jnp.ones(8)
    assert one.unsafe_buffer_pointer() != two.unsafe_buffer_pointer()
    assert one.unsafe_buffer_pointer() == one.unsafe_buffer_pointer()


@check
def serialised_executables():
    from jax.experimental import serialize_executable

    array = jax.device_put(np.arange(64.0, dtype=np.float32), NamedSharding(mesh(), P("x")))
    compiled = jax.jit(lambda a: a * 2).lower(array).compile()
    payload = serialize_executable.serialize(compiled)
    again = serialize_executable.deserialize_and_load(*payload, execution_devices=jax.devices())
    assert np.asarray(again(array)).tolist() == (np.arange(64.0) * 2).tolist()


@check
def optimizers_and_modules():
    import optax
    from flax import nnx

    model = nnx.Linear(8, 4, rngs=nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.adamw(1e-2), wrt=nnx.Param)
    x, y = jnp.ones((16, 8)), jnp.zeros((16, 4))

    @nnx.jit
    def step(model, optimizer):
        loss, gradients = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
        optimizer.update(model, gradients)
        return loss

    losses = [float(step(model, optimizer)) for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    return {"losses": losses}


@check
def host_callbacks_are_called():
    seen = []

    @jax.jit
    def function(a):
        jax.debug.callback(lambda total, first: seen.append((float(total), float(first))), a.sum(), a[0])
        return a * 2

    assert float(function(jnp.arange(4.0))[1]) == 2.0
    jax.effects_barrier()
    assert seen == [(6.0, 0.0)], seen


@check
def callbacks_that_depend_on_each_other():
    @jax.jit
    def function(a):
        scalar = jax.ShapeDtypeStruct((), jnp.float32)
        first = jax.pure_callback(lambda v: np.float32(np.asarray(v) * 10), scalar, a)
        second = jax.pure_callback(lambda v, w: np.float32(np.asarray(v) + np.asarray(w)), scalar, first, a)
        return first, second + 1

    assert [float(each) for each in function(jnp.float32(2))] == [20.0, 23.0]


@check
def ordered_callbacks():
    from jax.experimental import io_callback

    seen = []
    function = jax.jit(lambda a: io_callback(lambda v: seen.append(float(v)), None, a, ordered=True))
    for number in (3.0, 4.0):
        function(jnp.float32(number))
    jax.effects_barrier()
    assert seen == [3.0, 4.0], seen


@check
def callbacks_in_loops():
    """Each turn of a scan, of a fori_loop and of a while_loop calls, in order, with that turn's values."""
    from jax.experimental import io_callback

    seen = []
    scalar = jax.ShapeDtypeStruct((), jnp.float32)

    def turn(carry, i):
        jax.debug.callback(lambda i, c: seen.append(("scan", int(i), float(c))), i, carry, ordered=True)
        return io_callback(lambda c: np.float32(c * 2), scalar, carry, ordered=True), carry

    @jax.jit
    def function(a):
        a, history = jax.lax.scan(turn, a, jnp.arange(3))

        def below(i, c):
            jax.debug.callback(lambda i: seen.append(("fori", int(i))), i, ordered=True)
            return c + jax.pure_callback(lambda v: np.float32(v + 1), scalar, i.astype(jnp.float32))

        a = jax.lax.fori_loop(0, 2, below, a)
        return jax.lax.while_loop(
            lambda c: c < 100, lambda c: jax.lax.cond(c > 50, shout, lambda c: c, c) + 30, a
        ), history

    def shout(c):
        jax.debug.callback(lambda c: seen.append(("while", float(c))), c)
        return c

    value, history = function(jnp.float32(1))
    assert (float(value), history.tolist()) == (101.0, [1.0, 2.0, 4.0]), (float(value), history)
    jax.effects_barrier()
    assert seen[:5] == [("scan", 0, 1.0), ("scan", 1, 2.0), ("scan", 2, 4.0), ("fori", 0), ("fori", 1)], seen
    assert seen[5:] == [("while", 71.0)], seen


@check
def callbacks_of_every_device():
    """In shard_map each device calls with its own part; in a sharded jit one calls for all."""
    seen, whole = [], []

    def part(x):
        jax.debug.callback(lambda v: seen.append(float(v[0])), x)
        return x

    x = jax.device_put(jnp.arange(16.0), NamedSharding(mesh(), P("x")))
    jax.jit(jax.shard_map(part, mesh=mesh(), in_specs=P("x"), out_specs=P("x")))(x)
    jax.jit(lambda a: (jax.debug.callback(lambda v: whole.append(float(v)), a.sum()), a * 2)[1])(x)
    jax.effects_barrier()
    assert sorted(seen) == [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0], seen
    assert whole == [120.0], whole


@check
def slow_callbacks_do_not_hold_up_dispatch():
    """Execution goes on while the host is called; an array is ready, and a callback done, when it was called."""
    seen = []
    function = jax.jit(
        lambda a: (jax.debug.callback(lambda v: (time.sleep(1), seen.append(float(v))), a), a + 1)[1]
    )
    one = jnp.float32(1)
    slow = function.lower(one).compile()
    started = time.monotonic()
    second = slow(slow(one))
    assert time.monotonic() - started < 0.9, seen
    second.block_until_ready()
    assert sorted(seen) == [1.0, 2.0], seen


@check
def callbacks_may_use_the_device():
    """A function of the host that computes on the device itself, while the program waits for it."""
    double = jax.jit(lambda v: v * 2)
    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    outer = jax.jit(lambda a: jax.pure_callback(lambda v: np.float32(double(jnp.float32(v))), scalar, a) + 1)
    assert float(outer(jnp.float32(20))) == 41.0


@check
def callbacks_that_raise():
    """The error arrives where the result is read; the next call of the same program is unharmed."""

    def maybe(v):
        if v > 1:
            raise ValueError("too much for me")
        return np.float32(v)

    scalar = jax.ShapeDtypeStruct((), jnp.float32)
    function = jax.jit(lambda a: jax.pure_callback(maybe, scalar, a))
    assert float(function(jnp.float32(1))) == 1.0
    try:
        function(jnp.float32(2)).block_until_ready()
    except Exception as error:
        assert "too much for me" in str(error), error
    else:
        raise AssertionError("nothing was raised")
    assert float(function(jnp.float32(0.5))) == 0.5


@check
def checkpoints_come_back_as_they_were():
    import orbax.checkpoint as ocp

    sharding = NamedSharding(mesh(), P("x"))
    host = np.random.default_rng(0).normal(size=(64, 256)).astype(np.float32)
    tree = {"w": jax.device_put(host, sharding), "step": jnp.int32(7)}
    with tempfile.TemporaryDirectory() as folder, ocp.StandardCheckpointer() as checkpointer:
        checkpointer.save(folder + "/checkpoint", tree)
        checkpointer.wait_until_finished()
        abstract = jax.tree.map(lambda a: jax.ShapeDtypeStruct(a.shape, a.dtype, sharding=a.sharding), tree)
        back = checkpointer.restore(folder + "/checkpoint", abstract)
    assert (np.asarray(back["w"]) == host).all() and int(back["step"]) == 7
    assert back["w"].sharding == sharding


@check
def asynchronous_transfers():
    array = jnp.arange(6.0).reshape(2, 3)
    array.copy_to_host_async()
    assert np.asarray(array).tolist() == [[0, 1, 2], [3, 4, 5]]


@check
def scan_and_while():
    out = jax.lax.fori_loop(0, 10, lambda i, c: c + i, 0)
    assert int(out) == 45
    carry, ys = jax.lax.scan(lambda c, x: (c + x, c * x), 0.0, jnp.arange(5.0))
    assert float(carry) == 10.0 and ys.shape == (5,)


@check
def random_numbers_are_the_same_as_on_the_cpu():
    return {"values": np.asarray(jax.random.normal(jax.random.key(7), (4,))).tolist()}


@check
def reading_an_unknown_value_gives_nan():
    big = jax.jit(lambda: jnp.ones((64 * 1024, 4 * 1024)))()  # 1 GiB: too much to compute here
    assert np.isnan(float(big.sum()))
    assert int(jax.jit(lambda a: a.astype(jnp.int32).sum())(big)) == 0


@check
def caches_cannot_be_mixed_with_a_real_tpus():
    """JAX names its persistent cache by the version; ahead-of-time compiling compares it with a topology's."""
    from jax.experimental import topologies

    version = jax.devices()[0].client.platform_version
    assert "virtual slice" in version, version
    topology = topologies.get_topology_desc(platform="tpu", topology_name="tpu7x:2x2x1")
    assert topology.devices[0].client.platform_version == version
    sharding = NamedSharding(Mesh(np.array(topology.devices), ("x",)), P("x"))
    shape = jax.ShapeDtypeStruct((64, 128), jnp.float32, sharding=sharding)
    compiled = jax.jit(lambda a: a * 2).lower(shape).compile()
    assert compiled.memory_analysis().argument_size_in_bytes == 8 * 128 * 4


def main():
    wanted = sys.argv[1:] or list(CHECKS)
    for name in wanted:
        try:
            result = {"check": name, "ok": True, "detail": CHECKS[name]() or {}}
        except Exception as error:
            result = {
                "check": name,
                "ok": False,
                "detail": {"error": traceback.format_exc()[-1500:] or repr(error)},
            }
        print(json.dumps(result), flush=True)


if __name__ == "__main__":
    main()

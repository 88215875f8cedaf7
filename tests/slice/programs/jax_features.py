"""What users do with JAX beyond training, on a virtual v6e:2x2: works, or is refused by name.

Run by tests/slice/test_jax_features.py.
"""

import contextlib
import functools
import io
import multiprocessing
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from checks import check, main, refused
from jax.ad_checkpoint import checkpoint_name
from jax.experimental import checkify, colocated_python, pallas, serialize_executable
from jax.experimental.compute_on import compute_on
from jax.experimental.custom_partitioning import custom_partitioning
from jax.experimental.layout import Format, Layout
from jax.experimental.pallas import tpu as tpu_pallas
from jax.sharding import AxisType, Mesh, NamedSharding, SingleDeviceSharding
from jax.sharding import PartitionSpec as P


def sharding(spec=None, count=4, **kind):
    mesh = Mesh(np.array(jax.devices()[:count]), ("x",))
    return NamedSharding(mesh, P("x") if spec is None else spec, **kind)


def on(device, host):
    return jax.device_put(np.asarray(host), SingleDeviceSharding(jax.devices()[device]))


# Ahead of time, and caches


@check
def figures_before_running():
    compiled = jax.jit(jnp.matmul).lower(*[jax.ShapeDtypeStruct((128, 128), jnp.float32)] * 2).compile()
    assert compiled.memory_analysis().argument_size_in_bytes == 2 * 128 * 128 * 4
    assert compiled.memory_analysis().peak_memory_in_bytes >= 3 * 128 * 128 * 4
    assert compiled.cost_analysis()["flops"] >= 2 * 128**3


@check
def an_executable_is_loaded_where_it_was_made():
    compiled = jax.jit(lambda a: a * 3).lower(jax.device_put(np.ones(64, np.float32), sharding())).compile()
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    assert float(again(jax.device_put(np.ones(64, np.float32), sharding()))[63]) == 3.0


@check
def the_persistent_cache_is_hit():
    seen = []
    jax.monitoring.register_event_listener(lambda event, **_: seen.append(event))
    options = {
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    with tempfile.TemporaryDirectory() as folder:
        for name, value in (options | {"jax_compilation_cache_dir": folder}).items():
            jax.config.update(name, value)
        for _ in range(2):
            assert abs(float(jax.jit(lambda a: jnp.tanh(a) * 7.5)(jnp.ones(12))[0]) - 5.712) < 1e-3
            jax.clear_caches()
        jax.config.update("jax_compilation_cache_dir", None)
    assert "/jax/compilation_cache/cache_misses" in seen
    assert "/jax/compilation_cache/cache_hits" in seen


# Arrays: where they lie and how


@check
def arrays_from_pieces():
    host = np.arange(64, dtype=np.float32)
    called = jax.make_array_from_callback((64,), sharding(), lambda index: host[index])
    local = jax.make_array_from_process_local_data(sharding(), host)
    pieces = [shard.data for shard in called.addressable_shards]
    joined = jax.make_array_from_single_device_arrays((64,), sharding(), pieces)
    for array in (called, local, joined):
        assert (np.asarray(array) == host).all()


@check
def layouts_that_are_asked_for():
    host = np.arange(256 * 128, dtype=np.float32).reshape(256, 128)
    transposed = Format(Layout((0, 1)), SingleDeviceSharding(jax.devices()[0]))
    for source in (host, jnp.asarray(host)):
        array = jax.device_put(source, transposed)
        assert array.format.layout.major_to_minor == (0, 1)
        assert (np.asarray(array) == host).all()
    auto = Format(Layout.AUTO)
    compiled = (
        jax.jit(lambda a: a @ a.T, in_shardings=auto)
        .lower(jax.ShapeDtypeStruct(host.shape, host.dtype))
        .compile()
    )
    [wanted], _ = compiled.input_formats
    assert float(compiled(jax.device_put(np.ones_like(host), wanted))[0, 0]) == 128


@check
def moving_between_meshes_and_to_the_cpu():
    array = jax.device_put(np.arange(16, dtype=np.float32), sharding(count=2))
    for where in (sharding(), sharding(count=1), jax.devices("cpu")[0]):
        array = jax.device_put(array, where)
        assert np.asarray(array).tolist() == list(range(16))


@check
def arrays_that_live_and_die():
    array = jnp.ones(77)
    assert any(each.shape == (77,) for each in jax.live_arrays())
    array.delete()
    assert array.is_deleted() and "deleted" in refused(np.asarray, array)


@check
def transfers_under_guard():
    function = jax.jit(lambda a: a + 1)
    array = function(jnp.ones(3))
    with jax.transfer_guard("disallow"):
        function(array)
        assert "Disallowed host-to-device" in refused(function, np.ones(3, np.float32))
        assert "Disallowed device-to-host" in refused(np.asarray, function(array))


@check
def shardings_are_shown():
    array = jax.device_put(np.ones((64, 64), np.float32), sharding())
    text, seen = io.StringIO(), []
    with contextlib.redirect_stdout(text):
        jax.debug.visualize_array_sharding(array)
    jax.jit(lambda a: jax.debug.inspect_array_sharding(a, callback=seen.append))(array)
    assert "TPU 3" in text.getvalue() and seen[0].spec == P("x")


# Memory of the host


@check
def activations_offloaded_to_the_host():
    policy = jax.checkpoint_policies.save_and_offload_only_these_names(
        names_which_can_be_saved=[],
        names_which_can_be_offloaded=["before"],
        offload_src="device",
        offload_dst="pinned_host",
    )

    def layer(x, w):
        return jnp.sin(checkpoint_name(x @ w, "before")), None

    def loss(w, x):
        return jax.lax.scan(jax.checkpoint(layer, policy=policy), x, w)[0].sum()

    w, x = jnp.full((4, 512, 512), 0.01), jnp.ones((512, 512))
    memory = jax.jit(jax.grad(loss)).lower(w, x).compile().memory_analysis()
    assert memory.host_temp_size_in_bytes >= 4 * 512 * 512 * 4, memory
    assert np.isfinite(float(jax.jit(jax.grad(loss))(w, x)[0, 0, 0]))


@check
def parameters_that_stay_on_the_host():
    host, device = sharding(memory_kind="pinned_host"), sharding()
    parameters = jax.device_put(np.ones((64, 64), np.float32), host)
    out = jax.jit(lambda p: jax.device_put(p, device) * 2, out_shardings=device)(parameters)
    back = jax.jit(lambda p: p, out_shardings=host)(out)
    assert back.sharding.memory_kind == "pinned_host" and float(np.asarray(back)[0, 0]) == 2.0


@check
def computing_on_the_host():
    def double(a):
        return a * 2

    space = jax.memory.Space.Device
    moved = compute_on(double, compute_type="device_host", out_memory_spaces=space)
    assert float(jax.jit(lambda a: moved(a) + 1)(jnp.ones(8))[0]) == 3.0


# Types


@check
def random_keys_of_every_kind():
    for kind in ("threefry2x32", "rbg", "unsafe_rbg"):
        keys = jax.random.split(jax.random.key(3, impl=kind), 8)
        drawn = jax.jit(jax.vmap(jax.random.uniform))(jax.device_put(keys, sharding()))
        assert len(set(np.asarray(drawn).tolist())) == 8, kind


@check
def sixty_four_bits():
    with jax.enable_x64(True):
        third = np.asarray(jnp.arange(5, dtype=jnp.float64) / 3 * 3)
        np.testing.assert_allclose(third, np.arange(5), rtol=1e-12)
        assert int(jnp.int64(2**40) + 1) == 2**40 + 1


@check
def types_of_a_byte_and_less():
    host = np.array([[0, 1, 1, 0, 1, 1]] * 3)
    for name in ("int4", "uint4", "float8_e4m3fn", "float8_e5m2", "float8_e4m3b11fnuz", "float4_e2m1fn"):
        array = on(1, host.astype(jnp.dtype(name)))
        assert (np.asarray(array).astype(int) == host).all(), name
        assert (np.asarray(jax.jit(lambda a: a.astype(jnp.float32) * 2)(array)) == 2 * host).all(), name
    packed = jnp.ones((128, 128), jnp.int4)
    assert packed.addressable_data(0).on_device_size_in_bytes() == 128 * 128 // 2


# Programs over several devices


@check
def axes_that_are_manual_in_part():
    mesh = jax.make_mesh((2, 2), ("a", "b"), axis_types=(AxisType.Auto,) * 2)

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=P("a"), out_specs=P("a"), axis_names={"a"})
    def function(x):
        return x * 2 + jax.lax.axis_index("a")

    out = np.asarray(jax.jit(function)(jax.device_put(jnp.ones((8, 8)), NamedSharding(mesh, P("a", "b")))))
    assert out[0, 0] == 2 and out[-1, 0] == 3


@check
def axes_that_are_explicit():
    with jax.set_mesh(jax.make_mesh((4,), ("a",), axis_types=(AxisType.Explicit,))):
        out = jnp.sin(jax.device_put(jnp.ones((8, 8)), P("a")))
    assert jax.typeof(out).sharding.spec == P("a", None)
    assert abs(float(np.asarray(out)[0, 0]) - np.sin(1)) < 1e-5


@check
def collectives_of_every_kind():
    def function(x):
        whole = jax.lax.all_gather(x, "x", tiled=True)
        part = jax.lax.psum_scatter(whole, "x", tiled=True)
        moved = jax.lax.ppermute(part, "x", [(i, (i + 1) % 4) for i in range(4)])
        swapped = jax.lax.all_to_all(moved, "x", 0, 0, tiled=True)
        return swapped, jax.lax.pmax(x, "x")

    run = jax.shard_map(function, mesh=sharding().mesh, in_specs=P("x"), out_specs=(P("x"), P()))
    swapped, largest = jax.jit(run)(jnp.arange(16.0))
    assert np.asarray(swapped).tolist() == [
        4 * v for v in (12, 0, 4, 8, 13, 1, 5, 9, 14, 2, 6, 10, 15, 3, 7, 11)
    ]
    assert np.asarray(largest).tolist() == [12, 13, 14, 15]


@check
def ragged_collectives_compile():
    def function(*arguments):
        return jax.lax.ragged_all_to_all(*arguments, axis_name="x")

    sizes = jnp.ones(16, jnp.int32)
    offsets = jnp.tile(jnp.arange(4, dtype=jnp.int32), 4), jnp.repeat(jnp.arange(4, dtype=jnp.int32), 4)
    run = jax.jit(jax.shard_map(function, mesh=sharding().mesh, in_specs=(P("x"),) * 6, out_specs=P("x")))
    compiled = run.lower(jnp.arange(16.0), jnp.zeros(16), offsets[0], sizes, offsets[1], sizes).compile()
    assert "ragged-all-to-all" in compiled.as_text()
    out = jax.jit(jax.lax.ragged_dot)(jnp.ones((64, 32)), jnp.ones((4, 32, 16)), jnp.full(4, 16, jnp.int32))
    assert float(out[0, 0]) == 32.0


@check
def kernels_that_copy_between_devices():
    def kernel(source, target, sent, received):
        neighbour = jax.lax.rem(jax.lax.axis_index("x") + 1, 4)
        copy = tpu_pallas.make_async_remote_copy(
            src_ref=source,
            dst_ref=target,
            send_sem=sent,
            recv_sem=received,
            device_id=(neighbour,),
            device_id_type=pallas.DeviceIdType.MESH,
        )
        copy.start()
        copy.wait()

    anywhere = pallas.BlockSpec(memory_space=pallas.ANY)
    call = pallas.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        in_specs=[anywhere],
        out_specs=anywhere,
        scratch_shapes=[tpu_pallas.SemaphoreType.DMA] * 2,
    )
    run = jax.shard_map(call, mesh=sharding().mesh, in_specs=P("x"), out_specs=P("x"), check_vma=False)
    assert "tpu_custom_call" in jax.jit(run).lower(jnp.ones((32, 128))).compile().as_text()


@check
def checks_inside_programs():
    def function(x):
        checkify.check(x > 0, "must be positive, not {x}", x=x)
        return x * 2

    error, _ = checkify.checkify(jax.jit(function))(jnp.float32(-1))
    assert "must be positive, not -1" in error.get()


@check
def decompositions_have_values():
    """A TPU has operations of its own for these; the results are held against numpy's."""
    host = np.random.default_rng(0).normal(size=(2, 6, 6)).astype(np.float32)
    symmetric, tall = host + host.swapaxes(1, 2), host[:, :, :4]
    lower, upper = jnp.linalg.qr(tall)
    np.testing.assert_allclose(np.asarray(lower @ upper), tall, atol=1e-5)
    np.testing.assert_allclose(np.asarray(jnp.linalg.solve(host, host)), np.stack([np.eye(6)] * 2), atol=1e-4)
    np.testing.assert_allclose(np.asarray(jnp.linalg.det(host)), np.linalg.det(host), rtol=1e-4)
    values = np.asarray(jnp.linalg.eigvalsh(symmetric))
    np.testing.assert_allclose(values, np.linalg.eigvalsh(symmetric), atol=1e-4)
    singular = np.asarray(jnp.linalg.svd(tall, compute_uv=False))
    np.testing.assert_allclose(singular, np.linalg.svd(tall, compute_uv=False), atol=1e-4)
    assert jax.jit(lambda: jax.lax.empty((3,), jnp.float32).at[:].set(2.0))().tolist() == [2.0] * 3


# Beside the program


def square(number):
    return number * number


@check
def pools_of_processes():
    """A data loader's workers get neither the slice nor its records, and do not hang."""
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            assert pool.map(square, range(4)) == [0, 1, 4, 9], method
    return {"pid": os.getpid()}


@check
def many_threads():
    function = jax.jit(lambda a: a * 2)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda i: float(function(jnp.float32(i))), range(50))) == [
            2.0 * i for i in range(50)
        ]


@check
def profiles():
    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder), jax.profiler.StepTraceAnnotation("train", step_num=0):
            jnp.ones(3).block_until_ready()
        assert list(Path(folder).rglob("*.xplane.pb"))
        jax.profiler.save_device_memory_profile(f"{folder}/memory.prof")
        assert Path(folder, "memory.prof").stat().st_size > 0


# What a TPU refuses is refused here


@check
def refusals():
    def doubled(x):
        return x * 2

    partitioned = custom_partitioning(doubled)
    partitioned.def_partition(
        partition=lambda mesh, arguments, result: (mesh, doubled, result.sharding, (arguments[0].sharding,)),
        infer_sharding_from_operands=lambda mesh, arguments, result: arguments[0].sharding,
        sharding_rule="i -> i",
    )
    array = jax.device_put(np.ones(64, np.float32), sharding())
    assert "CustomSPMDPartitioning" in refused(jax.jit(partitioned), array)
    assert "DLPack" in refused(np.from_dlpack, array.addressable_data(0))
    assert "'eig' not found for platform tpu" in refused(jnp.linalg.eigvals, jnp.eye(4))
    assert "local CPU devices" in refused(colocated_python.colocated_cpu_devices, jax.devices())
    assert "No such compile option" in refused(jax.jit(doubled, compiler_options={"xla_none": "1"}), array)


if __name__ == "__main__":
    main()

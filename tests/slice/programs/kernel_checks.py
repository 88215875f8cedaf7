"""Values of Mosaic kernels on a virtual v6e:2x2 beside plain JAX or Pallas' own interpreter; each prints one JSON line.

Run by tests/slice/test_kernels.py.
"""

import functools
import json
import sys
import time
import traceback

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu
from jax.sharding import Mesh
from jax.sharding import PartitionSpec as P

CHECKS = {}


def check(function):
    CHECKS[function.__name__] = function
    return function


def random(*shape, dtype=jnp.float32, seed=0):
    return jnp.asarray(np.random.default_rng(seed).standard_normal(shape), dtype)


def error(got, wanted):
    """The distance of two arrays relative to the second's length."""
    got, wanted = (np.asarray(each, np.float64) for each in (got, wanted))
    assert got.shape == wanted.shape and np.isfinite(got).all(), got
    return float(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))


def attention(q, k, v, causal=True):
    scores = jnp.einsum("...qd,...kd->...qk", q, k, preferred_element_type=jnp.float32)
    if causal:
        scores = jnp.where(jnp.tril(jnp.ones(scores.shape[-2:], bool)), scores, -jnp.inf)
    return jnp.einsum("...qk,...kd->...qd", jax.nn.softmax(scores, axis=-1), v.astype(jnp.float32))


def gradients(function, *arguments):
    """The value and the gradients of a sum that tells elements apart."""

    def total(*arguments):
        result = function(*arguments).astype(jnp.float32)
        return (result * jnp.sin(jnp.arange(result.size, dtype=jnp.float32)).reshape(result.shape)).sum()

    return jax.jit(jax.value_and_grad(total, argnums=tuple(range(len(arguments)))))(*arguments)


def compare_gradients(function, reference, arguments, tolerance):
    value, got = gradients(function, *arguments)
    expected, wanted = gradients(reference, *arguments)
    errors = [error(a, b) for a, b in zip(got, wanted, strict=True)]
    assert max(errors) < tolerance, errors
    assert abs(float(value) - float(expected)) <= tolerance * max(abs(float(expected)), 1)
    return {"errors": errors}


@check
def flash_attention_and_gradients():
    from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

    arguments = [random(1, 2, 256, 128, seed=seed) / 4 for seed in range(3)]
    return compare_gradients(functools.partial(flash_attention, causal=True), attention, arguments, 1e-5)


@check
def flash_attention_in_bfloat16():
    from jax.experimental.pallas.ops.tpu.flash_attention import flash_attention

    arguments = [random(1, 2, 128, 128, dtype=jnp.bfloat16, seed=seed) / 4 for seed in range(3)]
    reference = functools.partial(attention, causal=False)
    return compare_gradients(flash_attention, reference, arguments, 1e-2)


@check
def splash_attention_and_gradients():
    from jax.experimental.pallas.ops.tpu.splash_attention import (
        splash_attention_kernel,
        splash_attention_mask,
    )

    mask = splash_attention_mask.MultiHeadMask([splash_attention_mask.CausalMask((256, 256))] * 2)
    kernel = splash_attention_kernel.make_splash_mha_single_device(mask=mask)
    arguments = [random(2, 256, 128, seed=seed) / 4 for seed in range(3)]
    return compare_gradients(kernel, attention, arguments, 1e-5)


@check
def blocked_matmul():
    from jax.experimental.pallas.ops.tpu.matmul import matmul

    x, y = random(256, 512), random(512, 384, seed=1)
    got = matmul(x, y, block_shape=(128, 128), block_k=256)
    assert error(got, x @ y) < 1e-5


@check
def grouped_matmul_has_a_grid_that_is_computed():
    from jax.experimental.pallas.ops.tpu.megablox import gmm

    x, w, sizes = random(256, 128), random(3, 128, 128, seed=1), jnp.array([100, 28, 128], jnp.int32)
    group = np.repeat(np.arange(3), [100, 28, 128])

    def reference(x, w):
        return jnp.einsum("mk,mkn->mn", x, w[group])

    return compare_gradients(
        lambda x, w: gmm(x, w, sizes, preferred_element_type=jnp.float32), reference, [x, w], 1e-5
    )


@check
def paged_attention_copies_pages_itself():
    from jax.experimental.pallas.ops.tpu.paged_attention import paged_attention

    heads, pages, page = 4, 32, 16
    q = random(2, 8, 128)
    k, v = (
        random(heads, pages, page, 128, dtype=jnp.bfloat16, seed=seed).astype(jnp.float32) for seed in (1, 2)
    )
    lengths = jnp.array([20, 61], jnp.int32)
    table = jnp.asarray(np.random.default_rng(3).permutation(pages)[:8].reshape(2, 4), jnp.int32)
    got = paged_attention(q, k, v, lengths, table, pages_per_compute_block=2)
    for sequence in range(2):
        rows = [
            pool[:, np.asarray(table[sequence])].reshape(heads, -1, 128)[:, : int(lengths[sequence])]
            for pool in (k, v)
        ]
        wanted = attention(q[sequence].reshape(heads, 2, 128), *rows, causal=False).reshape(8, 128)
        assert (found := error(got[sequence], wanted)) < 1e-5, found


@check
def ragged_paged_attention_packs_its_cache():
    from jax.experimental.pallas.ops.tpu.ragged_paged_attention import (
        ragged_paged_attention,
        ref_ragged_paged_attention,
    )

    q = random(32, 4, 128, dtype=jnp.bfloat16)
    cache = random(16, 16, 4, 128, dtype=jnp.bfloat16, seed=1)
    lengths, starts = jnp.array([20, 40], jnp.int32), jnp.array([0, 12, 32], jnp.int32)
    table = jnp.asarray(np.random.default_rng(3).permutation(16)[:8].reshape(2, 4), jnp.int32)
    count = jnp.array([2], jnp.int32)
    got = ragged_paged_attention(
        q, cache, lengths, table, starts, count, num_kv_pages_per_block=2, num_queries_per_block=16
    )
    wanted = ref_ragged_paged_attention(q, cache, lengths, table, starts, count)
    assert error(got, wanted) < 1e-2


def like_pallas_itself(kernel, *arguments, tolerance=1e-6, **options):
    """Run one kernel here and by Pallas' own interpreter."""
    got = jax.jit(pl.pallas_call(kernel, **options))(*arguments)
    wanted = pl.pallas_call(kernel, interpret=True, **options)(*arguments)
    for each, other in zip(jax.tree.leaves(got), jax.tree.leaves(wanted), strict=True):
        assert error(each, other) <= tolerance, (each, other)


@check
def blocks_that_reach_over_the_edge():
    def kernel(x, out):
        out[...] = jnp.tanh(x[...]) + jnp.float32(pl.program_id(0))

    block = pl.BlockSpec((128, 128), lambda i, j: (i, j))
    like_pallas_itself(
        kernel,
        random(200, 300),
        out_shape=jax.ShapeDtypeStruct((200, 300), jnp.float32),
        grid=(2, 3),
        in_specs=[block],
        out_specs=block,
    )


@check
def sums_over_the_grid_stay_in_scratch_memory():
    def kernel(x, out, total):
        @pl.when(pl.program_id(0) == 0)
        def _():
            total[...] = jnp.zeros_like(total)

        total[...] += x[...]

        @pl.when(pl.program_id(0) == pl.num_programs(0) - 1)
        def _():
            out[...] = total[...]

    like_pallas_itself(
        kernel,
        random(64, 128),
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        grid=(8,),
        in_specs=[pl.BlockSpec((8, 128), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((8, 128), lambda i: (0, 0)),
        scratch_shapes=[pltpu.VMEM((8, 128), jnp.float32)],
    )


@check
def an_output_may_lie_in_an_arguments_memory():
    def kernel(x, out):
        out[...] = x[...] * 2

    block = pl.BlockSpec((8, 128), lambda i: (i, 0))
    like_pallas_itself(
        kernel,
        random(32, 128),
        out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
        grid=(2,),  # the other half keeps what the argument holds
        in_specs=[block],
        out_specs=block,
        input_output_aliases={0: 0},
    )


@check
def loops_integers_and_reductions():
    def kernel(x, out):
        value = x[...]

        def body(i, carried):
            shifted = pltpu.roll(carried, 1, 1) + jax.lax.rem(carried, jnp.int32(7)) * i
            return jnp.where(shifted % 3 == 0, shifted >> 1, -(shifted // 2))

        value = jax.lax.fori_loop(0, 5, body, value)
        bounded = jax.lax.while_loop(
            lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] + jnp.max(s[1], 1, keepdims=True)), (0, value)
        )
        out[...] = bounded[1] + jax.lax.broadcasted_iota(jnp.int32, (16, 128), 0)

    numbers = jnp.asarray(np.random.default_rng(0).integers(-1000, 1000, (16, 128)), jnp.int32)
    like_pallas_itself(kernel, numbers, tolerance=0, out_shape=jax.ShapeDtypeStruct((16, 128), jnp.int32))


@check
def functions_of_floats():
    def kernel(x, out):
        value = x[...]
        parts = [
            jnp.exp(value),
            jnp.log(jnp.abs(value) + 1),
            jnp.sqrt(jnp.abs(value)),
            jax.lax.rsqrt(value * value + 1),
        ]
        parts += [jnp.floor(value), jnp.round(value), jnp.sin(value), jax.nn.sigmoid(value), value**3]
        parts += [
            value.astype(jnp.bfloat16).astype(jnp.float32),
            (value * 10).astype(jnp.int32).astype(jnp.float32),
        ]
        out[...] = functools.reduce(jnp.add, parts) + value.sum(axis=1, keepdims=True) - value.min()

    like_pallas_itself(kernel, random(16, 128), out_shape=jax.ShapeDtypeStruct((16, 128), jnp.float32))


@check
def gathers_rotations_and_bits():
    def kernel(x, indices, out):
        value, where = x[...], indices[...]
        taken = jnp.take_along_axis(value, where, axis=1)
        turned = pltpu.roll(value, 3, 1, stride=1, stride_axis=0)
        bits = jax.lax.bitcast_convert_type(jax.lax.bitcast_convert_type(value, jnp.uint32) >> 1, jnp.float32)
        counted = jax.lax.clz(where) + jax.lax.population_count(where)
        largest = jnp.argmax(value, axis=1, keepdims=True)
        out[...] = taken + turned + bits + counted.astype(jnp.float32) + largest.astype(jnp.float32)

    where = jnp.asarray(np.random.default_rng(1).integers(0, 128, (8, 128)), jnp.int32)
    like_pallas_itself(kernel, random(8, 128), where, out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32))


@check
def products_of_whole_numbers():
    def kernel(x, y, out):
        out[...] = jax.lax.dot(x[...], y[...], preferred_element_type=jnp.int32)

    x, y = (
        jnp.asarray(np.random.default_rng(seed).integers(-128, 128, (128, 128)), jnp.int8) for seed in (0, 1)
    )
    like_pallas_itself(kernel, x, y, tolerance=0, out_shape=jax.ShapeDtypeStruct((128, 128), jnp.int32))


@check
def random_numbers_of_a_key():
    def kernel(key, out):
        drawn = jax.random.wrap_key_data(jnp.stack([key[0], key[1]]), impl="threefry2x32")
        out[...] = jax.random.uniform(drawn, out.shape)

    got = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((8, 128), jnp.float32),
        in_specs=[pl.BlockSpec(memory_space=pltpu.SMEM)],
    )(jnp.array([1, 2], jnp.uint32))
    key = jax.random.wrap_key_data(jnp.array([1, 2], jnp.uint32), impl="threefry2x32")
    assert (np.asarray(got) == np.asarray(jax.random.uniform(key, (8, 128)))).all()


@check
def copies_that_the_kernel_starts_itself():
    def kernel(x, out, buffer, semaphore):
        def body(i, _):
            rows = pl.ds(i * 8, 8)
            pltpu.async_copy(x.at[rows], buffer.at[i % 2], semaphore.at[i % 2]).wait()
            buffer[i % 2] = buffer[i % 2] + 1
            pltpu.sync_copy(buffer.at[i % 2], out.at[rows])
            return 0

        jax.lax.fori_loop(0, 4, body, 0)

    anywhere = pl.BlockSpec(memory_space=pl.ANY)
    x = random(32, 128)
    got = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        in_specs=[anywhere],
        out_specs=anywhere,
        scratch_shapes=[pltpu.VMEM((2, 8, 128), jnp.float32), pltpu.SemaphoreType.DMA((2,))],
    )(x)
    assert error(got, x + 1) == 0


def double(x):
    def kernel(x, out):
        out[...] = x[...] * 2

    return pl.pallas_call(kernel, out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype))(x)


@check
def kernels_in_loops_and_on_every_device():
    mesh = Mesh(np.array(jax.devices()), ("x",))
    specs = {"mesh": mesh, "in_specs": P("x"), "out_specs": P("x"), "check_vma": False}
    doubled = jax.jit(jax.shard_map(lambda a: jax.lax.psum(double(a), "x") + a, **specs))
    x = random(32, 128)
    wanted = 2 * x.reshape(4, 8, 128).sum(0) + x.reshape(4, 8, 128)
    assert error(doubled(x), wanted.reshape(32, 128)) < 1e-6
    repeated = jax.jit(lambda a: jax.lax.scan(lambda c, _: (double(c) - 1, c.sum()), a, length=4))
    got, sums = repeated(jnp.ones((8, 128)))
    assert (np.asarray(got) == 1).all() and np.asarray(sums).tolist() == [1024.0] * 4


@check
def too_much_to_interpret_stays_unknown():
    def kernel(x, out):
        for _ in range(40):
            x[...] = x[...] + 1
        out[...] = x[...]

    block = pl.BlockSpec((8, 128), lambda i: (i % 4, 0))
    run = pl.pallas_call(
        kernel,
        out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
        grid=(10**6,),
        in_specs=[block],
        out_specs=block,
    )
    started = time.monotonic()
    assert np.isnan(np.asarray(jax.jit(run)(random(32, 128)))).all()
    assert time.monotonic() - started < 30


def main():
    for name in sys.argv[1:] or list(CHECKS):
        started = time.monotonic()
        try:
            result = {"check": name, "ok": True, "detail": CHECKS[name]() or {}}
        except Exception:
            result = {"check": name, "ok": False, "detail": {"error": traceback.format_exc()[-1500:]}}
        print(json.dumps(result | {"seconds": round(time.monotonic() - started, 2)}), flush=True)


if __name__ == "__main__":
    main()

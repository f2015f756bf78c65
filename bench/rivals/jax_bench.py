#!/usr/bin/env python3
"""JAX on the cases of bench/. Dispatch is asynchronous, so a time is that of a batch of calls over
three buffer sets, waited for once, divided by the calls; the median of five batches."""
import os
import statistics
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import cases as common

try:
    import jax
    import jax.numpy as jnp
    import numpy as np
except ImportError as error:
    common.skip(error)
N, SIDE = common.N, common.SIDE
B1, B2, RATE, EPSILON = common.BETA1, common.BETA2, common.RATE, common.EPSILON
key = None


def unit(*shape, low=0.0, dtype=jnp.float32):
    global key
    key, mine = jax.random.split(key)
    return jax.random.uniform(mine, shape, dtype, minval=low)


def centred(*shape, dtype=jnp.float32):
    return unit(*shape, low=-1.0, dtype=dtype)


def make(case):
    """The operands of one set."""
    if case == "bnorm":
        return [centred(SIDE, SIDE), centred(SIDE), unit(SIDE), centred(SIDE), centred(SIDE)]
    if case == "adam":
        return [centred(N // 2), centred(N // 2), centred(N // 2), unit(N // 2)]
    if case == "gelu_bf16":
        return [centred(N, dtype=jnp.bfloat16)]
    shape = common.SHAPES.get(case, (N,))
    if case == "layernorm":
        return [centred(*shape), centred(shape[1]), centred(shape[1])]
    if case == "rmsnorm":
        return [centred(*shape, dtype=jnp.bfloat16), centred(shape[1], dtype=jnp.bfloat16)]
    if case in common.STEP:
        size = shape[1] if case == "cross_entropy" else shape[0]
        ids = np.arange(shape[0]) * common.STEP[case] % size
        return [centred(*shape), jnp.asarray(ids, jnp.int32)]
    if case == "softmax_bf16":
        return [centred(*shape, dtype=jnp.bfloat16)]
    if "softmax" in case or case in ("logsumexp", "sort", "argsort", "topk"):
        return [centred(*shape)]
    if case == "transpose_add":
        return [centred(SIDE, SIDE), centred(SIDE, SIDE)]
    if case in ("axpy", "chain"):
        return [centred(N), centred(N)]
    if case == "dot":
        return [unit(N), unit(N)]
    return [unit(*shape)]


def adam(p, g, m, v):
    m = B1 * m + (1 - B1) * g
    v = B2 * v + (1 - B2) * g * g
    return p - RATE * m / (jnp.sqrt(v) + EPSILON), m, v


def layernorm(x, g, b):
    d = x - x.mean(1, keepdims=True)
    return d * jax.lax.rsqrt((d * d).mean(1, keepdims=True) + common.NORM_EPSILON) * g + b


def rmsnorm(x, g):
    x = x.astype(jnp.float32)
    y = x * jax.lax.rsqrt((x * x).mean(1, keepdims=True) + common.NORM_EPSILON) * g
    return y.astype(jnp.bfloat16)


def cross_entropy(x, targets):
    picked = jnp.take_along_axis(x, targets[:, None], 1)[:, 0]
    return jnp.mean(jax.nn.logsumexp(x, -1) - picked)


FUNCTIONS = {
    "axpy": lambda x, y: 0.75 * x + y,
    "chain": lambda x, y: jnp.tanh(x * y + 0.3) * jnp.exp(-x * x) + 0.5,
    "gelu_bf16": lambda x: jax.nn.gelu(x, approximate=True),
    "adam": adam,
    "bnorm": lambda x, mu, var, g, b: (x - mu) * jax.lax.rsqrt(var + 1e-5) * g + b,
    "transpose_add": lambda x, y: x.T + y,
    "sum": jnp.sum,
    "sumexp": lambda x: jnp.sum(jnp.exp(x - 0.5)),
    "dot": lambda x, y: jnp.sum(x * y),
    "argmax": jnp.argmax,
    "rowsum": lambda x: x.sum(1),
    "rowsum_narrow": lambda x: x.sum(1),
    "rowsum_wide": lambda x: x.sum(1),
    "colsum": lambda x: x.sum(0),
    "var_mean": lambda x: (x.var(1, ddof=1), x.mean(1)),
    **dict.fromkeys(("softmax", "softmax_wide", "softmax_narrow", "softmax_bf16"),
                    lambda x: jax.nn.softmax(x, -1)),
    "log_softmax": lambda x: jax.nn.log_softmax(x, -1),
    "logsumexp": lambda x: jax.nn.logsumexp(x, -1),
    "layernorm": layernorm,
    "rmsnorm": rmsnorm,
    "cross_entropy": cross_entropy,
    "cumsum": jnp.cumsum,
    "sort": lambda x: jax.lax.sort((x, jnp.arange(x.size)), num_keys=1),
    "argsort": jnp.argsort,
    "topk": lambda x: jax.lax.top_k(x, common.K),
    "take": lambda table, ids: jnp.take(table, ids, 0, mode="clip"),
}


def run_time(case, f, sets, batches=5):
    """The median milliseconds of a call in a batch that is waited for once."""
    def call(r):
        operands = sets[r % len(sets)]
        out = f(*operands)
        if case == "adam":  # its operands were given away
            operands[0], operands[2], operands[3] = out
        return out

    jax.block_until_ready(call(0))  # compiles
    begin = time.perf_counter()
    for r in range(1, 5):
        jax.block_until_ready(call(r))
    calls = max(3, min(48, int(0.2 / (time.perf_counter() - begin))))
    seconds = []
    for _ in range(batches):
        begin = time.perf_counter()
        for r in range(calls):
            out = call(r)
        jax.block_until_ready(out)
        seconds.append((time.perf_counter() - begin) / calls)
    return statistics.median(seconds) * 1e3


def host(x, dtype=np.float64):
    return np.asarray(x).astype(dtype)


def check(case, operands):
    """Compares the first part of one result, computed without giving operands away."""
    f = jax.jit(FUNCTIONS[case])
    if case in common.WHOLE:
        found = f(*operands)
        found = operands[0][found] if case == "argmax" else found
        return common.agrees(case, host(found),
                             common.REFERENCES[case](*(np.asarray(x) for x in operands)))
    if case == "transpose_add":
        return common.agrees(case, host(f(*operands)[:8]),
                             host(operands[0][:, :8]).T + host(operands[1][:8]))
    if case == "colsum":
        return common.agrees(case, host(f(*operands)[:8]), host(operands[0][:, :8]).sum(0))
    if case in common.SORTED:
        found = f(*operands)
        values, order = found if case == "sort" else (operands[0][found], found)
        return bool(jnp.array_equal(values, operands[0][order])) and common.agrees(
            case, host(values[:4096]), np.sort(np.asarray(operands[0]))[:4096])
    if case == "take":
        table, ids = operands
        return common.agrees(case, host(f(table, ids)[:2]), [host(table[int(i)]) for i in ids[:2]])
    if case in common.ROWS_OF_FIRST:
        parts = [host(operands[0][:2]), *(host(x) for x in operands[1:])]
    else:
        parts = [host(x[:2] if x.ndim == 2 else x[:4096]) for x in operands]
    expected, found = common.REFERENCES[case](*parts), f(*operands)
    if case == "var_mean":
        found = jnp.stack(found)[:, :2]
    elif case in ("adam", "topk"):
        found = found[0]
    return common.agrees(case, host(found[:len(expected)]), expected)


def run_small():
    f = jax.jit(FUNCTIONS["chain"])
    x, y = centred(1024), centred(1024)
    jax.block_until_ready(f(x, y))
    best = 1.0
    for _ in range(common.SMALL_BATCHES):
        begin = time.perf_counter()
        for _ in range(common.SMALL_CALLS):
            out = f(x, y)
        best = min(best, (time.perf_counter() - begin) / common.SMALL_CALLS)
        jax.block_until_ready(out)
    common.report_small("jax", best)


def main():
    global key
    args = common.arguments(__doc__)
    try:
        gpu = jax.default_backend() == "gpu"
    except RuntimeError:
        gpu = False
    if not gpu:
        common.skip("JAX sees no CUDA device")
    key = jax.random.key(0)
    common.say(rival="jax", version=jax.__version__)
    for case in args.cases:
        if case not in FUNCTIONS and case != common.SMALL:
            continue
        try:
            if case == common.SMALL:
                run_small()
                continue
            sets = [make(case) for _ in range(3)]
            right = None if args.no_check else check(case, sets[0])
            f = jax.jit(FUNCTIONS[case], donate_argnums=(0, 2, 3) if case == "adam" else ())
            common.report(case, "jax", run_time(case, f, sets), right)
            del sets
        except Exception as error:  # one case must not end the others
            common.say(case=case, who="jax", failed=str(error).splitlines()[0][:200])


if __name__ == "__main__":
    main()

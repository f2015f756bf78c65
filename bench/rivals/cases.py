"""What the rivals' scripts share: sizes, bytes, host references, the lines they print."""
import argparse
import json
import math
import sys
import time


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


try:
    import numpy as np
except ImportError as error:
    skip(error)

N, SIDE, KEYS, K = 1 << 28, 1 << 14, 1 << 25, 8
SHAPES = {"rowsum": (SIDE, SIDE), "rowsum_narrow": (1 << 22, 64), "rowsum_wide": (16, 1 << 24),
          "colsum": (SIDE, SIDE), "var_mean": (SIDE, SIDE), "softmax": (16384, 8192),
          "softmax_wide": (1024, 262144), "softmax_narrow": (1 << 22, 64),
          "softmax_bf16": (16384, 8192), "log_softmax": (16384, 8192), "logsumexp": (16384, 8192),
          "layernorm": (65536, 4096), "rmsnorm": (65536, 4096), "cross_entropy": (8192, 32768),
          "chain_bwd": (1 << 26,), "softmax_bwd": (16384, 4096), "layernorm_bwd": (16384, 4096),
          "ce_bwd_bf16": (16384, 50304), "sort": (KEYS,), "argsort": (KEYS,), "topk": (1 << 20, 256), "take": (1 << 18, 1024)}
# m, n, k and the number of products.
PRODUCTS = {"gemm_fp32": (8192, 8192, 8192, 1), "gemm_tf32": (8192, 8192, 8192, 1),
            "gemm_bf16": (8192, 8192, 8192, 1), "gemm_1024_fp32": (1024, 1024, 1024, 1),
            "gemm_1024_bf16": (1024, 1024, 1024, 1), "linear_gelu_bf16": (16384, 4096, 4096, 1),
            "linear_gelu_256": (256, 512, 512, 1), "bmm_bf16": (512, 512, 64, 256)}
BETA1, BETA2, RATE, EPSILON = 0.9, 0.999, 1e-3, 1e-8
NORM_EPSILON = 1e-5
# Integer operands: row i of cross_entropy has the target, and row i of take's result the row of the
# table, i * STEP modulo the number of classes or rows.
STEP = {"cross_entropy": 40503, "ce_bwd_bf16": 40503, "take": 158071}

# The least to move, in arrays of N floats.
OPERANDS = {"copy": 2, "axpy": 3, "chain": 3, "gelu_bf16": 1, "adam": 3.5, "bnorm": 2,
            "transpose_add": 3, "sum": 1, "sumexp": 1, "dot": 2, "argmax": 1, "rowsum": 1,
            "rowsum_narrow": 1, "rowsum_wide": 1, "colsum": 1, "var_mean": 1, "softmax": 1,
            "softmax_wide": 2, "softmax_narrow": 2, "softmax_bf16": 0.5, "log_softmax": 1,
            "logsumexp": 0.5, "layernorm": 2, "rmsnorm": 1, "cross_entropy": 1, "cumsum": 2,
            "chain_bwd": 2, "softmax_bwd": 1.25, "layernorm_bwd": 1.25,
            "ce_bwd_bf16": 3 * 16384 * 50304 / 2 / (1 << 28), "sort": 16 / 32, "argsort": 12 / 32, "topk": 1 + 12 * K / 1024, "take": 2 + 8 / 4096}
BYTES = {case: operands * 4 * N for case, operands in OPERANDS.items()}
# So that what is GB/s elsewhere is TFLOP/s here.
BYTES |= {case: 2e-3 * m * n * k * count for case, (m, n, k, count) in PRODUCTS.items()}
# Steps of optimizers and networks: milliseconds only.
TRAINING = ("adamw_142", "adamw_142_arena", "mlp", "mlp_arena", "mlp_graphed", "mlp_graphed_arena")
BYTES |= dict.fromkeys(TRAINING, 0)
SMALL = "small_chain"
SMALL_CALLS, SMALL_BATCHES = 256, 20


def total(x):
    return x.sum(dtype=np.float64)


def gelu(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def adam(p, g, m, v):
    m = BETA1 * m + (1 - BETA1) * g
    v = BETA2 * v + (1 - BETA2) * g * g
    return p - RATE * m / (np.sqrt(v) + EPSILON)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def layernorm(x, g, b):
    return (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + NORM_EPSILON) * g + b


def cross_entropy(x, targets):
    picked = x[np.arange(len(x)), targets.astype(np.int64)]
    return np.mean(np.log(np.exp(x).sum(1, dtype=np.float64)) - picked)


def chain_gradient(x, y, g):
    t, e = np.tanh(x * y + 0.3), np.exp(-x * x)
    return g * e * ((1 - t * t) * y - 2 * x * t)


def softmax_gradient(x, g):
    y = softmax(x)
    return y * (g - (g * y).sum(1, keepdims=True))


def layernorm_gradient(x, w, b, g):
    scale = 1 / np.sqrt(x.var(1, keepdims=True) + NORM_EPSILON)
    h, g = (x - x.mean(1, keepdims=True)) * scale, g * w
    return scale * (g - g.mean(1, keepdims=True) - h * (h * g).mean(1, keepdims=True))


def cross_entropy_gradient(x, targets):
    y = softmax(x)
    y[np.arange(len(x)), targets.astype(np.int64)] -= 1
    return y / SHAPES["ce_bwd_bf16"][0]


# The operands, as float64 arrays of the first rows (all elements for whole reductions: float32), to
# what the first elements of the result must be.
REFERENCES = {
    "copy": lambda x: x,
    "axpy": lambda x, y: 0.75 * x + y,
    "chain": lambda x, y: np.tanh(x * y + 0.3) * np.exp(-x * x) + 0.5,
    "gelu_bf16": gelu,
    "adam": adam,
    "bnorm": lambda x, mu, var, g, b: (x - mu) / np.sqrt(var + 1e-5) * g + b,
    "transpose_add": lambda x, y: x.T + y,
    "sum": total,
    "sumexp": lambda x: total(np.exp(x - np.float32(0.5))),
    "dot": lambda x, y: total(x * y),
    "argmax": lambda x: x.max(),
    "rowsum": lambda x: x.sum(1),
    "rowsum_narrow": lambda x: x.sum(1),
    "rowsum_wide": lambda x: x.sum(1, dtype=np.float64),
    "colsum": lambda x: x.sum(0),
    "var_mean": lambda x: np.stack([x.var(1, ddof=1), x.mean(1)]),
    **dict.fromkeys(("softmax", "softmax_wide", "softmax_narrow", "softmax_bf16"), softmax),
    "log_softmax": lambda x: np.log(softmax(x)),
    "logsumexp": lambda x: np.log(np.exp(x).sum(1)),
    "layernorm": layernorm,
    "rmsnorm": lambda x, g: x / np.sqrt((x * x).mean(1, keepdims=True) + NORM_EPSILON) * g,
    "cross_entropy": cross_entropy,
    "cumsum": np.cumsum,
    "chain_bwd": chain_gradient,
    "softmax_bwd": softmax_gradient,
    "layernorm_bwd": layernorm_gradient,
    "ce_bwd_bf16": cross_entropy_gradient,
    "topk": lambda x: -np.sort(-x, 1)[:, :K],
    **dict.fromkeys((case for case in PRODUCTS if case.startswith("gemm")), np.matmul),
    **dict.fromkeys(("linear_gelu_bf16", "linear_gelu_256"), lambda x, w, b: gelu(x @ w.T + b)),
    "bmm_bf16": lambda x, y: x @ y.swapaxes(1, 2),
}
WHOLE = ("sum", "sumexp", "dot", "argmax", "cross_entropy")  # all elements make the result
# The first rows of the result need the first rows of the first operand, and all of the others.
ROWS_OF_FIRST = ("bnorm", "layernorm", "rmsnorm", *(case for case in PRODUCTS if case != "bmm_bf16"))
# Forward and backward; what is checked is the first operand's gradient.
GRADIENTS = ("chain_bwd", "softmax_bwd", "layernorm_bwd", "ce_bwd_bf16")
SORTED = ("sort", "argsort")  # checked in the rivals' scripts: the keys in the order found
# Some rivals round to bfloat16 after each step.
TOLERANCE = {"gelu_bf16": 4e-3, "softmax_bf16": 2e-2, "rmsnorm": 8e-3, "gemm_fp32": 1e-3,
             "gemm_tf32": 0.1, "gemm_bf16": 1e-2, "gemm_1024_fp32": 1e-4, "gemm_1024_bf16": 1e-2,
             "linear_gelu_bf16": 2e-2, "linear_gelu_256": 2e-2, "bmm_bf16": 1e-2}


def agrees(case, found, expected):
    """Whether a rival computes the case at all: looser than the checks of weft's own results."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if case.startswith("softmax"):  # near 1 / width
        found, expected = found * SHAPES[case][1], expected * SHAPES[case][1]
    return found.shape == expected.shape and bool(np.all(
        np.abs(found - expected) <= TOLERANCE.get(case, 1e-5) * np.maximum(1, np.abs(expected))))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", default="", help="comma-separated; all without")
    parser.add_argument("--no-check", action="store_true", help="time only")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    args = parser.parse_args()
    args.cases = args.cases.split(",") if args.cases else [*BYTES, SMALL]
    return args


last_said = time.perf_counter()


def say(**line):
    """One line of JSON; `seconds` is the time since the last, to see what a case costs in all."""
    global last_said
    now = time.perf_counter()
    print(json.dumps({**line, "seconds": round(now - last_said, 2)}), flush=True)
    last_said = now


def report(case, who, ms, right):
    say(case=case, who=who, ms=ms, gbps=BYTES[case] / ms * 1e-6, kernels=0, checked=right)


def report_small(who, seconds):
    """The rivals make a fresh result at each call, so the figure stands for both rows."""
    for case in (SMALL, SMALL + "_fresh"):
        say(case=case, who=who, ms=seconds * 1e3, gbps=0, kernels=0, checked=None)

"""What the rivals' scripts share: sizes, bytes, host references, the lines they print."""
import argparse
import json
import math
import sys


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(77)


try:
    import numpy as np
except ImportError as error:
    skip(error)

N, SIDE = 1 << 28, 1 << 14
SHAPES = {"rowsum": (SIDE, SIDE), "rowsum_narrow": (1 << 22, 64), "rowsum_wide": (16, 1 << 24),
          "colsum": (SIDE, SIDE), "var_mean": (SIDE, SIDE)}
BETA1, BETA2, RATE, EPSILON = 0.9, 0.999, 1e-3, 1e-8

OPERANDS = {"copy": 2, "axpy": 3, "chain": 3, "gelu_bf16": 1, "adam": 3.5, "bnorm": 2,
            "transpose_add": 3, "sum": 1, "sumexp": 1, "dot": 2, "argmax": 1, "rowsum": 1,
            "rowsum_narrow": 1, "rowsum_wide": 1, "colsum": 1, "var_mean": 1}
BYTES = {case: operands * 4 * N for case, operands in OPERANDS.items()}
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
}
WHOLE = ("sum", "sumexp", "dot", "argmax")


def agrees(case, found, expected):
    """Whether a rival computes the case at all: looser than the checks of weft's own results."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    tolerance = 4e-3 if case == "gelu_bf16" else 1e-5
    return found.shape == expected.shape and bool(
        np.all(np.abs(found - expected) <= tolerance * np.maximum(1, np.abs(expected))))


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--cases", default="", help="comma-separated; all without")
    parser.add_argument("--no-check", action="store_true", help="time only")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    args = parser.parse_args()
    args.cases = args.cases.split(",") if args.cases else [*BYTES, SMALL]
    return args


def say(**line):
    print(json.dumps(line), flush=True)


def report(case, who, ms, right):
    say(case=case, who=who, ms=ms, gbps=BYTES[case] / ms * 1e-6, kernels=0, checked=right)


def report_small(who, seconds):
    """The rivals make a fresh result at each call, so the figure stands for both rows."""
    for case in (SMALL, SMALL + "_fresh"):
        say(case=case, who=who, ms=seconds * 1e3, gbps=0, kernels=0, checked=None)

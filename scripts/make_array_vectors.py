#!/usr/bin/env python3
"""Makes tests/ops/shape/numpy_vectors.inc: what NumPy's array functions give, as cases of tests/ops/shape/numpy.cpp.

Run in an environment with NumPy (`pip install numpy==2.2.6`); the same version makes the same cases.
"""
import random
from pathlib import Path

import numpy as np

OUT = Path(__file__).resolve().parent.parent / "tests" / "ops" / "shape" / "numpy_vectors.inc"
MODES = {"constant": "constant", "reflect": "reflect", "edge": "replicate", "wrap": "circular", "symmetric": "symmetric"}
VALUES = {"mean": "mean", "maximum": "maximum", "minimum": "minimum", "linear_ramp": "linear_ramp"}
rng = random.Random(7)


def braces(values):
    return "{" + ", ".join(braces(v) if isinstance(v, (list, tuple)) else str(v) for v in values) + "}"


def operand(least=1, most=3):
    """A shape's numbers 0, 1, ..., perhaps with its axes the other way round, in NumPy and in C++."""
    shape = [rng.randint(1, 4) for _ in range(rng.randint(least, most))]
    x = np.arange(np.prod(shape)).reshape(shape)
    code = f"numbers({braces(shape)})"
    if rng.random() < 0.4:
        axes = list(range(len(shape)))
        rng.shuffle(axes)
        x, code = x.transpose(axes), f"{code}.permute({braces(axes)})"
    return x, code


def cases():
    for name, mode in MODES.items():
        for _ in range(4):
            x, code = operand()
            most = [4 if name in ("constant", "edge") else n - 1 if name == "reflect" else n for n in x.shape]
            around = [(rng.randint(0, m), rng.randint(0, m)) for m in most]
            value = rng.randint(-3, 3)
            extra = {"constant_values": value} if name == "constant" else {}
            yield (f"pad({code}, {braces(around)}, PadMode::{mode}{f', {value}' if extra else ''})",
                   np.pad(x, around, name, **extra))
    for name, value in VALUES.items():
        for _ in range(2):
            x, code = operand()
            around = [(rng.randint(0, 3), rng.randint(0, 3)) for _ in x.shape]
            flat = [n for pair in reversed(around) for n in pair]
            yield f"pad({code}, Shape{braces(flat)}, PadValue::{value})", np.pad(x, around, name)
    for _ in range(6):
        x, code = operand()
        axes = rng.sample(range(x.ndim), rng.randint(1, x.ndim))
        by = [rng.randint(-9, 9) for _ in axes]
        yield f"roll({code}, Shape{braces(by)}, Axes{braces(axes)})", np.roll(x, by, axes)
        yield f"roll({code}, {by[0]})", np.roll(x, by[0])
    for _ in range(6):
        x, code = operand(0, 3)
        counts = [rng.randint(0 if rng.random() < 0.1 else 1, 3) for _ in range(rng.randint(1, 4))]
        yield f"tile({code}, {braces(counts)})", np.tile(x, counts)
    for _ in range(4):
        x, code = operand()
        axis, n = rng.randrange(x.ndim), rng.randint(0, 3)
        yield f"repeat({code}, {n}, Axes{{{axis}}})", np.repeat(x, n, axis)
        counts = [rng.randint(0, 3) for _ in range(x.shape[axis])]
        yield (f"repeat_interleave({code}, tensor<std::int64_t>({braces(counts)}, D{{}}), Axes{{{axis}}})",
               np.repeat(x, counts, axis))
    for _ in range(4):
        x, code = operand(2)
        k, pair = rng.randint(-3, 6), rng.sample(range(x.ndim), 2)
        yield f"rot90({code}, {k}, Axes{braces(pair)})", np.rot90(x, k, pair)
        yield f"movedim({code}, Axes{braces(pair)}, Axes{{-1, 0}})", np.moveaxis(x, pair, (-1, 0))
        k = rng.randint(-3, 3)
        yield f"tril({code}, {k})", np.tril(x, k)
        yield f"triu({code}, {k})", np.triu(x, k)
    for k in (-2, 0, 1):
        x, code = operand()
        yield f"diagflat({code}, {k})", np.diagflat(x, k)
        yield f"tri<std::int64_t>(3, 4, {k}, D{{}})", np.tri(3, 4, k, dtype=np.int64)
        yield f"eye<std::int64_t>(3, 4, {k}, D{{}})", np.eye(3, 4, k, dtype=np.int64)
        yield f"tril_indices(3, 4, {k}, D{{}})", np.array(np.tril_indices(3, k, 4))
        yield f"triu_indices(3, 4, {k}, D{{}})", np.array(np.triu_indices(3, k, 4))
    for _ in range(4):
        x, code = operand()
        axis = rng.randrange(x.ndim)
        n = x.shape[axis]
        places = [rng.randint(-n, n - 1) for _ in range(rng.randint(1, 3))]
        yield f"erase({code}, std::vector<std::int64_t>{braces(places)}, Axes{{{axis}}})", np.delete(x, places, axis)
        before = [rng.randint(-n, n) for _ in range(rng.randint(2, 3))]
        added = np.arange(len(before)).reshape([-1 if d == axis else 1 for d in range(x.ndim)]) + 90
        shape = list(added.shape)
        yield (f"insert({code}, std::vector<std::int64_t>{braces(before)}, numbers({braces(shape)}) + 90, Axes{{{axis}}})",
               np.insert(x, before, np.broadcast_to(added, [len(before) if d == axis else s for d, s in enumerate(x.shape)]), axis))
    for _ in range(3):
        x, code = operand(1, 3)
        yield f"vstack({code}, {code})", np.vstack([x, x])
        yield f"dstack({code}, {code})", np.dstack([x, x])
        yield f"hstack({code}, {code})", np.hstack([x, x])
        if x.ndim < 3:
            yield f"column_stack({code}, {code})", np.column_stack([x, x])
    for _ in range(3):
        x, code = operand()
        axis, n = rng.randrange(x.ndim), rng.randint(1, 4)
        yield f"tensor_split({code}, {n}, {axis})[{n - 1}]", np.array_split(x, n, axis)[n - 1]
        size = rng.randint(1, x.shape[axis])
        yield f"windows({code}, Axes{{{axis}}}, {size})", np.lib.stride_tricks.sliding_window_view(x, size, axis)
    yield "indices({2, 3}, D{})", np.indices((2, 3))
    yield "trim_zeros(tensor<std::int64_t>({0, 0, 3, 0, 1, 0}, D{}))", np.trim_zeros(np.array([0, 0, 3, 0, 1, 0]))
    x, code = np.arange(12).reshape(3, 4), "numbers({3, 4})"
    yield f"select({code} < 3, -{code}, {code} > 8, {code} * 2, 7)", np.select([x < 3, x > 8], [-x, x * 2], 7)
    yield f"piecewise({code}, {code} > 2, 1, {code} > 8, 2, 5)", np.piecewise(x, [x > 2, x > 8], [1, 2, 5])


lines = [f"CASE(({code}), ({{{', '.join(map(str, value.shape))}}}), ({{{', '.join(map(str, value.ravel().tolist()))}}}))\n"
         for code, value in cases()]
OUT.write_text("// Made by scripts/make_array_vectors.py.\n" + "".join(lines))
print(f"{OUT.name}: {len(lines)} cases")

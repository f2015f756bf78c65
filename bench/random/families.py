"""The families of statements, and how one of each is drawn."""
import random

from draw import LEAST, MOST, Draw
from expressions import (along, apply, binary, cast, flip, index, named, pad, permute, reduce, repeated,
                         reshape, roll, tile, where)
from statements import Statement

ALL = slice(None)


def elementwise(d):
    streams = 2 + d.choice((0, 1, 1, 2, 3))
    shape = d.shape(d.elements(streams))
    form = d.random.choices(("tree", "bias", "gate", "mask", "quantised", "difference", "pow", "residual"),
                            (46, 10, 8, 10, 8, 6, 4, 8))[0]
    if form == "tree":
        leaves = [d.x(shape)]
        for _ in range(streams - 2):
            leaves.append(d.full(shape) if d.chance(0.6) else d.part(shape))
        if d.chance(0.3):
            leaves.append(d.part(shape))
        e = d.tree(leaves)
    elif form == "bias":
        e = apply(d.choice(("gelu", "silu", "relu", "tanh")), d.x(shape) + d.x(shape[-1:], "b"))
    elif form == "gate":
        e = apply(d.choice(("silu", "sigmoid", "gelu")), d.x(shape, "gate")) * d.full(shape, "up")
    elif form == "mask":
        e = where(d.mask(shape), d.x(shape, "a") * d.full(shape, "b"), d.choice((0.0, -1.0)))
    elif form == "quantised":
        d.type = d.choice(("float32", "float32", "bfloat16", "float16"))
        q = cast(d.operands("q", shape, d.choice(("int8", "uint8")), "bits"), d.type)
        scale = d.x((*shape[:-1], 1) if len(shape) > 1 and d.chance(0.5) else shape[-1:], "scale", "unit")
        e = q * 0.0078125 * scale
        e = e + d.x(shape, "r") if d.chance(0.6) else e
    elif form == "difference":
        x = d.x((*shape[:-1], shape[-1] + 1))
        before = [ALL] * (len(shape) - 1)
        e = (index(x, *before, slice(1, None)) - index(x, *before, slice(0, shape[-1]))) * d.number()
    elif form == "pow":
        e = binary("pow", apply("abs", d.x(shape)), d.choice((1.7, 0.8, 2.5))) * d.number()
    else:
        e = d.x(shape) + d.full(shape, "r") * d.part(shape, "scale")
    if e.type == "float32" and d.chance(0.08):
        e = cast(e, d.choice(("bfloat16", "float16")))
    return Statement("element-wise", d.operands.all, [("z", e)], differentiable=form != "quantised")


def reductions(d):
    if d.type == "float64" and d.chance(0.5):
        d.type = "float32"
    count = d.elements(d.choice((1, 1, 2, 2, 3)))
    shape = d.image(count) if d.chance(0.15) else d.shape(count)
    rank = len(shape)
    op = d.random.choices(("sum", "mean", "max", "min", "var", "stddev", "norm", "logsumexp", "argmax",
                           "count_nonzero", "any"), (30, 18, 10, 5, 8, 4, 8, 6, 4, 4, 2))[0]
    axes = None
    if rank > 1 and not d.chance(0.08):
        number = 1 if op in ("argmax", "any") else d.choice([1, 1, 1, 2, 2, 3][:max(3, 2 * rank - 2)])
        axes = sorted(d.random.sample(range(rank), min(number, rank - 1)))
        if d.chance(0.35):
            axes = [rank - 1] if number == 1 else list(range(rank - len(axes), rank))
    if op in ("argmax", "any", "count_nonzero"):
        d.type = "float32"
        x = d.x(shape)
        e = x if op == "argmax" else binary("gt", x if d.chance(0.5) else d.producer(shape, (1,)), d.number(0.1, 0.9))
        return Statement("reductions", d.operands.all, [("z", reduce(op, e, axes))])
    e = reduce(op, d.producer(shape), axes, keep=axes is not None and d.chance(0.15))
    if e.span[1] > 3e4 and d.type == "float16":
        e = reduce("mean", e.parts[0], axes)
    if d.chance(0.35):
        e = d.choice((lambda v: v * d.number(), lambda v: apply("sqrt", apply("abs", v) + 1.0),
                      lambda v: v + d.x(v.shape[-1:], "b") if v.shape else v * d.number(),
                      lambda v: apply("log1p", apply("abs", v))))(e)
    return Statement("reductions", d.operands.all, [("z", e)], differentiable=d.type != "float64")


def rows(d):
    """Formulas with reductions inside, over rows of one to three operands."""
    if d.type == "float64":
        d.type = "float32"
    forms = ("softmax", "log_softmax", "layer_norm", "rms_norm", "kl", "jensen_shannon", "cosine", "normalize",
             "centred", "entropy", "correlation", "masked", "scaled", "residual", "standardize", "share")
    form = d.random.choices(forms, (14, 8, 12, 10, 7, 3, 6, 6, 8, 4, 3, 6, 4, 6, 4, 4))[0]
    shape = d.shape(d.elements(d.choice((2, 2, 3, 4))), d.choice((2, 2, 2, 3, 4)))
    if d.chance(0.2):  # narrow or odd rows
        narrow = d.choice((3, 8, 10, 17, 18, 21, 33, 50, 77, 80, 100, 127))
        shape = (max(1, d.elements(3) // narrow), narrow)
    rank, axis = len(shape), -1
    if form in ("softmax", "log_softmax", "normalize", "centred", "standardize", "share") and d.chance(0.25):
        axis = d.choice(range(rank - 1))
        if axis == 0 and d.chance(0.4) and rank == 2:
            shape = (d.choice((4, 8, 16, 50)), max(64, d.elements(2) // 16))
    lets = []

    def let(name, e):
        if e.op == "operand":
            return e
        lets.append((name, e))
        return named(name, e)

    def over(op, e):
        return reduce(op, e, [axis], keep=True)

    w, b = (lambda: d.x(shape[-1:], "w", "positive")), (lambda: d.x(shape[-1:], "b"))
    if form in ("softmax", "log_softmax", "normalize"):
        e = along(form, d.producer(shape), axis=axis)
        e = e * d.number() if d.chance(0.2) else e
    elif form == "layer_norm":
        x = d.producer(shape, (0, 0, 1, 1, 2))
        e = along("layer_norm", x, w(), b())
        e = apply("gelu", e) if d.chance(0.2) else e
    elif form == "rms_norm":
        e = along("rms_norm", d.producer(shape, (0, 1, 1)), w())
    elif form == "kl":
        p, q = let("p", along("log_softmax", d.x(shape))), let("q", along("log_softmax", d.x(shape, "y")))
        e = reduce("sum", _exp(p) * (p - q), [-1])
    elif form == "jensen_shannon":
        p, q = let("p", along("softmax", d.x(shape))), let("q", along("softmax", d.x(shape, "y")))
        m = let("m", (p + q) * 0.5)
        e = reduce("sum", p * (_log(p) - _log(m)) + q * (_log(q) - _log(m)), [-1]) * 0.5
    elif form == "cosine":
        e = along("cosine_similarity", d.x(shape), d.full(shape))
    elif form == "centred":
        x = let("h", d.producer(shape))
        e = x - over(d.choice(("mean", "mean", "max")), x)
    elif form == "entropy":
        x = let("h", d.producer(shape, (0, 0, 1)))
        e = -1.0 * reduce("sum", along("softmax", x) * along("log_softmax", x), [-1])
    elif form == "correlation":
        x, y = d.x(shape), d.x(shape, "y")
        a, c = let("a", x - over("mean", x)), let("c", y - over("mean", y))
        e = reduce("sum", a * c, [-1]) / binary("maximum", reduce("norm", a, [-1]) * reduce("norm", c, [-1]), 0.01)
    elif form == "masked":
        x = where(d.mask(shape), d.x(shape) * d.number(), -1e4)
        e = along("softmax", x)
    elif form == "scaled":
        x = let("h", d.producer(shape, (0, 0, 1)))
        low = let("low", over("min", x))
        e = (x - low) / (over("max", x) - low + 0.01)
    elif form == "residual":
        h = let("h", d.x(shape) + d.full(shape, "r"))
        e = h + along("rms_norm", h, w()) * d.number() if d.chance(0.5) else along("layer_norm", h, w(), b())
    elif form == "standardize":
        x = let("h", d.producer(shape, (0, 0, 1)))
        c = let("c", x - over("mean", x))
        e = c * apply("rsqrt", over("mean", apply("square", c)) + 0.01)
    else:
        x = let("h", apply("exp", apply("tanh", d.producer(shape, (0, 1)))))
        e = x / (over("sum", x) + 0.1)
    return Statement("row programs", d.operands.all, [("z", e)], lets, differentiable=True)


def _exp(x):
    """exp of what is at most 0."""
    return type(x)("exp", (x,), x.shape, x.type, (0, 1))


def _log(x):
    """log of a probability, which is above 0."""
    return type(x)("log", (x,), x.shape, x.type, (-60, 0))


def image_norms(d):
    d.type = d.choice(("float32", "float32", "bfloat16", "float16"))
    form = d.choice(("moments", "batch", "batch", "instance", "group", "channels_last"))
    shape = d.image(d.elements(1 if form == "moments" else 2))
    x = d.x(shape)
    n, c, h, w = shape
    if form == "moments":
        return Statement("image norms", d.operands.all, [
            ("m", reduce("mean", x, (0, 2, 3))), ("v", reduce("var_biased", x, (0, 2, 3)))])
    lets = []

    def let(name, e):
        if e.op == "operand":
            return e
        lets.append((name, e))
        return named(name, e)

    gains, axes = (c, 1, 1), (2, 3) if form == "instance" else (0, 2, 3)
    if form == "channels_last":
        d.operands.all.clear()
        x, gains, axes = d.x((n, h, w, c)), (c,), (0, 1, 2)
    elif form == "group":
        groups = d.choice([g for g in (1, 2, 4, 8, 32) if c % g == 0])
        x, gains, axes = reshape(x, (n, groups, c // groups, h, w)), (groups, c // groups, 1, 1), (2, 3, 4)
    m = let("m", reduce("mean", x, axes, keep=True))
    v = let("v", reduce("var_biased", x, axes, keep=True))
    e = (x - m) * apply("rsqrt", v + 1e-5 if d.type == "float32" else v + 0.001)
    e = e * d.x(gains, "w", "positive") + d.x(gains, "b")
    e = apply("relu", e) if d.chance(0.4) else e
    return Statement("image norms", d.operands.all, [("z", e)], lets, differentiable=form != "group")


def scans(d):
    d.type = d.choice(("float32",) * 6 + ("float64", "bfloat16"))
    op = d.random.choices(("cumsum", "cumprod", "cummax", "logcumsumexp"), (55, 15, 20, 10))[0]
    if d.type == "bfloat16":  # sums of many would lose all their digits
        op = "cummax"
    shape = d.shape(d.elements(2), d.choice((1, 1, 2, 2, 2, 3)))
    axis = len(shape) - 1 if d.chance(0.7) else d.choice(range(len(shape)))
    if op == "cumprod":
        e = d.x(shape, "x", "centred") * 0.001 + 1.0
    else:
        e = d.producer(shape, (0, 0, 0, 1))
    e = along(op, e, axis=axis)
    if d.chance(0.3) and op != "logcumsumexp":
        e = e * d.number() + d.x(shape[-1:], "b")
    return Statement("scans", d.operands.all, [("z", e)])


def gathers(d):
    if d.type == "float64":
        d.type = "float32"
    form = d.choice(("embedding", "embedding", "positions", "norm", "norm", "gather", "rows", "loss"))
    wide = d.width(1 << 20, 8192)
    count = max(8, d.elements(2) // wide)
    vocabulary = d.choice((1000, 30522, 32000, 50257, 128256))
    vocabulary = max(16, min(vocabulary, count * 2))
    places = (count,) if d.chance(0.5) or count < 64 else (count // 32, 32)
    ids = d.operands("ids", places, "int64", "index", vocabulary)
    if form == "gather":
        d.operands.all.clear()
        shape = (max(8, d.elements(3) // wide), wide)
        x = d.producer(shape, (0,))
        ids = d.operands("ids", shape, "int64", "index", wide)
        e = along("gather", x, ids, axis=1) * d.number() + d.x(shape, "y")
    elif form == "loss":
        d.operands.all.clear()
        shape = (max(8, d.elements(1) // wide), wide)
        x = d.x(shape)
        e = along("cross_entropy", x, d.operands("ids", shape[:1], "int64", "index", wide))
    else:
        rows = along("take", d.x((vocabulary, wide), "table"), ids, axis=0)
        if form == "embedding":
            e = rows * d.number(0.5, 30)
        elif form == "positions":
            e = rows * d.number() + d.x(rows.shape[1:] if len(rows.shape) == 3 else rows.shape, "positions")
        elif form == "norm":
            w = d.x((wide,), "w", "positive")
            e = along("layer_norm", rows, w, d.x((wide,), "b")) if d.chance(0.6) else along("rms_norm", rows, w)
        else:
            e = d.decorated(rows * d.x((*rows.shape[:-1], 1), "scale"), 1)
    return Statement("gathers", d.operands.all, [("z", e)], differentiable=form in ("embedding", "rows"))


def several_outputs(d):
    form = d.choice(("adam", "adamw", "master", "momentum", "rmsprop", "average", "cell", "norm", "moments", "swish"))
    d.type = "float32" if form in ("adam", "adamw", "master", "momentum", "rmsprop", "average") or \
        d.type == "float64" else d.type
    rate = 0.001
    if form in ("adam", "adamw", "master"):
        shape = d.shape(d.elements(7), d.choice((1, 2)))
        p, m, v = d.x(shape, "p"), d.x(shape, "m"), d.x(shape, "v", "unit")
        g = d.x(shape, "g", type="bfloat16") if form == "master" else d.x(shape, "g")
        g = cast(g, "float32")
        m2, v2 = m * 0.9 + g * 0.1, v * 0.999 + apply("square", g) * 0.001
        new = (p * (1 - rate * 0.01) if form != "adam" else p) - m2 * rate / (_sqrt(v2) + 1e-8)
        results = [("p", new), ("m", m2), ("v", v2)]
        if form == "master":
            results.append(("h", cast(new, "bfloat16")))
        return Statement("several outputs", d.operands.all, results)
    if form in ("momentum", "rmsprop", "average"):
        shape = d.shape(d.elements(5), d.choice((1, 2)))
        p, m, g = d.x(shape, "p"), d.x(shape, "m", "unit"), d.x(shape, "g")
        m2 = {"momentum": lambda: m * 0.9 + g, "rmsprop": lambda: m * 0.99 + apply("square", g) * 0.01,
              "average": lambda: m * 0.999 + p * 0.001}[form]()
        new = p - g / (_sqrt(m2) + 1e-8) * rate if form == "rmsprop" else p - (m2 if form == "momentum" else g) * rate
        return Statement("several outputs", d.operands.all, [("p", new), ("m", m2)])
    shape = d.shape(d.elements(4), d.choice((2, 2, 3)))
    if form == "cell":
        c, i, f, o = (d.x(shape, name) for name in "cifo")
        g = d.x(shape, "g")
        c2 = apply("sigmoid", f) * c + apply("sigmoid", i) * apply("tanh", g)
        h = apply("sigmoid", o) * apply("tanh", c2)
        return Statement("several outputs", d.operands.all, [("c2", c2), ("h", h)])
    if form == "norm":
        h = d.x(shape) + d.x(shape, "r")
        return Statement("several outputs", d.operands.all,
                         [("h", h), ("z", along("rms_norm", h, d.x(shape[-1:], "w", "positive")))])
    if form == "moments":
        x = d.producer(shape, (0, 0, 1))
        return Statement("several outputs", d.operands.all,
                         [("m", reduce("mean", x, [-1])), ("v", reduce("var", x, [-1]))])
    a, b = d.x(shape, "a"), d.x(shape, "b")
    s = apply("sigmoid", a)
    return Statement("several outputs", d.operands.all, [("y", a * s * b), ("dy", s * (a * (1 - s) + 1))])


def _sqrt(x):
    """sqrt of what is at least 0."""
    return type(x)("sqrt", (x,), x.shape, x.type, (0, 100))


def products(d):
    """Operands that are broadcast against each other."""
    form = d.choice(("outer", "outer", "outer_tree", "squares", "absolute", "kernel", "triangle", "bias"))
    if form in ("squares", "absolute", "kernel"):
        d.type = "float32" if d.type == "float64" else d.type
    count = min(d.elements(1), 1 << (24 if form in ("squares", "absolute") else 29))
    n = d.choice([w for w in (64, 100, 1000, 1024, 2048, 4096, 5000, 8192, 16384) if w * w <= max(4096, 4 * count)])
    m = d.round(max(16, count // n))
    column, row = (lambda x: index(x, ALL, None)), (lambda x: index(x, None, ALL))
    if form == "triangle":
        type = d.choice(("int64", "int32"))
        i, j = d.operands("i", (m,), type, "order"), d.operands("j", (n,), type, "order")
        e = binary(d.choice(("ge", "lt")), column(i), row(j))
        e = where(e, d.x((), "s"), d.choice((0.0, -1e4))) if d.chance(0.6) else e
    elif form in ("squares", "absolute"):
        k = d.choice((2, 3, 16, 33, 64))
        x, y = d.x((m, k)), d.x((n, k), "y")
        difference = index(x, ALL, None, ALL) - index(y, None, ALL, ALL)
        e = reduce("sum", apply("square" if form == "squares" else "abs", difference), [-1])
    elif form == "bias":
        heads = d.choice((4, 8, 16))
        x = d.x((heads, 1, 1), "slope", "unit")
        i, j = d.x((max(1, m // heads), 1), "i"), d.x((n,), "j")
        e = x * (i - j) + d.number()
    else:
        x, y = d.x((m,)), d.x((n,), "y")
        a, b = column(x), row(y)
        e = a * b if form == "outer" else apply("exp", apply("square", a - b) * -1.0) if form == "kernel" else \
            d.decorated(a * b + row(d.x((n,), "b")), 1)
    return Statement("broadcast products", d.operands.all, [("z", e)], differentiable=form in ("outer_tree", "kernel"))


def copies(d):
    form = d.choice(("permute", "permute", "permute", "channels", "cat", "cat", "stack", "patches", "rotary", "part"))
    d.type = d.choice(("float32", "float32", "float16", "bfloat16", "int64", "int32", "uint8"))
    kind = "bits" if "int" in d.type else "centred"
    count = d.elements(2)

    def x(shape, name="x"):
        return d.x(shape, name, kind)

    if form == "permute":
        shape = d.shape(count, d.choice((2, 3, 3, 4, 4, 5)))
        order = list(range(len(shape)))
        while order == sorted(order):
            d.random.shuffle(order)
        e = permute(x(shape), order)
    elif form == "channels":
        order = d.choice(((0, 2, 3, 1), (0, 3, 1, 2)))
        shape = d.image(count)
        e = permute(x(shape if order[1] == 2 else tuple(shape[k] for k in (0, 2, 3, 1))), order)
    elif form == "cat":
        shape = d.shape(count // 2, d.choice((2, 2, 3)))
        axis = d.choice((0, len(shape) - 1, len(shape) - 1))
        other = list(shape)
        other[axis] = max(1, other[axis] // d.choice((1, 1, 2, 3)))
        e = along("cat", x(shape), x(other, "y"), axis=axis)
    elif form == "stack":
        shape = d.shape(count // 2, d.choice((1, 2)))
        e = along("stack", x(shape), x(shape, "y"), axis=d.choice((0, len(shape))))
    elif form == "patches":
        size, grid = d.choice((4, 8, 14, 16)), d.choice((4, 14, 16))
        n = max(1, count // (3 * (size * grid) ** 2))
        e = permute(reshape(x((n, 3, grid * size, grid * size)), (n, 3, grid, size, grid, size)), (0, 2, 4, 3, 5, 1))
    elif form == "rotary":
        d.type, kind = d.choice(("float32", "float16", "bfloat16")), "centred"
        half = d.choice((32, 64))
        heads, length = d.choice((4, 8, 16, 32)), d.choice((16, 128, 512, 1024))
        a = x((max(1, d.elements(2) // (heads * length * 2 * half)), heads, length, 2 * half))
        cos, sin = d.x((length, half), "cos"), d.x((length, half), "sin")
        left = index(a, ALL, ALL, ALL, slice(0, half))
        right = index(a, ALL, ALL, ALL, slice(half, 2 * half))
        e = along("cat", left * cos - right * sin, right * cos + left * sin, axis=3)
    else:
        shape = d.shape(count, d.choice((2, 3)))
        a = x((*shape[:-1], shape[-1] * 2))
        e = index(a, *[ALL] * (len(shape) - 1), slice(None, None, 2)) if d.chance(0.4) else \
            flip(x(shape, "y"), d.choice(range(len(shape)))) if d.chance(0.4) else \
            index(a, *[ALL] * (len(shape) - 1), slice(3, shape[-1] + 3))
        used = {n.more["name"] for n in _operands(e)}
        d.operands.all[:] = [o for o in d.operands.all if o.more["name"] in used]
    return Statement("copies", d.operands.all, [("z", e)])


def places(d):
    """Elements at other places: borders, shifts, repeats, and stencils of them."""
    form = d.choice(("image", "image", "causal", "last", "roll", "laplacian", "mix", "upsample", "repeat", "tile"))
    d.type = d.choice(("float32", "float32", "float16", "bfloat16"))
    count = d.elements(2)
    if form == "image":
        borders = [(0, 0), (0, 0), *[d.choice(((1, 1), (1, 1), (2, 2), (0, 1), (3, 3)))] * 2]
        e = pad(d.x(d.image(count)), borders, d.choice(("constant", "constant", "reflect", "replicate")))
        e = e if d.chance(0.7) else d.decorated(e, 1)
    elif form == "causal":
        shape = d.shape(count, 3)
        e = pad(d.x(shape), [(0, 0), (d.choice((1, 2, 3, 6)), 0), (0, 0)])
    elif form == "last":
        shape = d.shape(count, d.choice((2, 3)))
        e = pad(d.x(shape), [(0, 0)] * (len(shape) - 1) + [d.choice(((0, 1), (1, 0), (0, 8), (1, 1), (0, 3)))])
    elif form == "roll":
        shape = d.shape(count, d.choice((2, 3, 4)))
        e = roll(d.x(shape), d.choice((1, -1, 3, 17)), d.choice(range(len(shape))))
    elif form == "laplacian":
        x = d.x(d.shape(count, d.choice((2, 3))))
        first, last = len(x.shape) - 2, len(x.shape) - 1
        e = roll(x, 1, last) + roll(x, -1, last) + roll(x, 1, first) + roll(x, -1, first) - x * 4.0
    elif form == "mix":  # a token and the one before it
        shape = d.shape(count, 3)
        x, w = d.x(shape), d.x(shape[-1:], "w", "unit")
        before = pad(index(x, ALL, slice(0, shape[1] - 1)), [(0, 0), (1, 0), (0, 0)])
        e = x * w + before * (w * -1.0 + 1.0)
    elif form == "upsample":
        e = repeated(repeated(d.x(d.image(d.elements(1.25) // 4)), 2, 2), 2, 3)
    elif form == "repeat":
        shape = d.shape(d.elements(1.5) // 2, d.choice((2, 3)))
        e = repeated(d.x(shape), d.choice((2, 3, 4)), d.choice(range(len(shape))))
    else:
        shape = d.shape(d.elements(1.5) // 2, d.choice((2, 3)))
        times = [1] * len(shape)
        times[d.choice(range(len(shape)))] = d.choice((2, 3))
        e = tile(d.x(shape), times)
    return Statement("places", d.operands.all, [("z", e)])


def _operands(e):
    return [e] if e.op == "operand" else [o for part in e.parts for o in _operands(part)]


# Family: how many of 48 statements, and what draws one. Those of none are drawn where they are asked for, since
# the statements of a seed stay what they were.
FAMILIES = {"element-wise": (11, elementwise), "reductions": (9, reductions), "row programs": (9, rows),
            "image norms": (2, image_norms), "scans": (3, scans), "gathers": (4, gathers),
            "several outputs": (4, several_outputs), "broadcast products": (3, products), "copies": (3, copies),
            "places": (0, places)}


WITH_GRADIENTS = ("element-wise", "reductions", "row programs", "image norms", "gathers", "broadcast products")


def family_of(seed, case, only=(), backward=False):
    """Cards of a deck that is shuffled every 48 cases, so that each family has its share in short runs too."""
    known = only or (WITH_GRADIENTS if backward else FAMILIES)
    deck = [name for name, (cards, _) in FAMILIES.items() for _ in range(cards or (name in only)) if name in known]
    turn, place = divmod(case, len(deck))
    random.Random(f"deck {seed} {turn}").shuffle(deck)
    return deck[place]


def statement(seed, case, scale=1.0, only=(), backward=False):
    """The statement of a case: the same whenever seed, case and options are."""
    family = family_of(seed, case, only, backward)
    for attempt in range(1000):
        d = Draw(seed, f"{case} {family} {attempt}", scale)
        try:
            made = FAMILIES[family][1](d)
        except ValueError:  # an interval left a function's domain: draw again
            continue
        used = {n.more["name"] for _, e in [*made.lets, *made.results] for n in _operands(e)}
        made.operands[:] = [o for o in made.operands if o.more["name"] in used]
        made.names = [o.more["name"] for o in made.operands]
        if backward and not made.differentiable:
            continue
        made.name_apart()
        made.share()
        made = made.with_gradients() if backward else made
        if attempt > 40 or 0.9 * LEAST * scale <= made.bytes() <= 1.1 * MOST * scale:
            return made
    raise ValueError(f"{family}: no statement")

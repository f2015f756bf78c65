"""Expressions over tensors, written once and said in weft's, PyTorch's and NumPy's words.

A node knows its shape, its element type and an interval that holds its values, so that what is drawn
neither overflows nor leaves a function's domain. `say(node, language)` gives its text.
"""
import math

LANGUAGES = ("weft", "torch", "numpy")
# Element type: bytes, in C++, in PyTorch. NumPy computes floating types in double.
TYPES = {"float32": (4, "float", "torch.float32"), "float64": (8, "double", "torch.float64"),
         "float16": (2, "weft::half", "torch.float16"), "bfloat16": (2, "weft::bfloat16", "torch.bfloat16"),
         "int8": (1, "std::int8_t", "torch.int8"), "uint8": (1, "std::uint8_t", "torch.uint8"),
         "int16": (2, "std::int16_t", "torch.int16"), "int32": (4, "std::int32_t", "torch.int32"),
         "int64": (8, "std::int64_t", "torch.int64"), "bool": (1, "bool", "torch.bool")}
FLOATING = ("float32", "float64", "float16", "bfloat16")

# Functions of one argument with (interval -> interval, or None outside of the domain).
def _monotone(f, low=-math.inf, high=math.inf):
    return lambda a, b: (f(a), f(b)) if low <= a and b <= high else None


def _within(low, high, limit=1e4):
    return lambda a, b: (low, high) if max(abs(a), abs(b)) <= limit else None


def _square(a, b):
    top = max(a * a, b * b)
    return (0 if a <= 0 <= b else min(a * a, b * b), top) if top <= 1e4 else None


def _grown(a, b):  # x times something between 0 and 1
    return min(a, -0.3), max(b, 0)


UNARY = {
    "exp": ("exp({0})", "torch.exp({0})", "np.exp({0})", _monotone(math.exp, -20, 4)),
    "tanh": ("tanh({0})", "torch.tanh({0})", "np.tanh({0})", _monotone(math.tanh)),
    "sigmoid": ("sigmoid({0})", "torch.sigmoid({0})", "sigmoid({0})", _within(0, 1)),
    "relu": ("relu({0})", "F.relu({0})", "np.maximum({0}, 0)", lambda a, b: (max(a, 0), max(b, 0))),
    "gelu": ("gelu({0})", "F.gelu({0})", "gelu({0})", _grown),
    "gelu_tanh": ("gelu_tanh({0})", 'F.gelu({0}, approximate="tanh")', "gelu_tanh({0})", _grown),
    "silu": ("silu({0})", "F.silu({0})", "silu({0})", _grown),
    "softplus": ("softplus({0})", "F.softplus({0})", "np.logaddexp({0}, 0)",
                 lambda a, b: (0.001, max(b, 0) + 1) if a > -5 else None),
    "square": ("square({0})", "torch.square({0})", "np.square({0})", _square),
    "abs": ("abs({0})", "torch.abs({0})", "np.abs({0})",
            lambda a, b: (0 if a <= 0 <= b else min(abs(a), abs(b)), max(abs(a), abs(b)))),
    "sqrt": ("sqrt({0})", "torch.sqrt({0})", "np.sqrt({0})", _monotone(math.sqrt, 0.01)),
    "rsqrt": ("rsqrt({0})", "torch.rsqrt({0})", "1 / np.sqrt({0})",
              lambda a, b: (b ** -0.5, a ** -0.5) if a >= 1e-6 else None),
    "log": ("log({0})", "torch.log({0})", "np.log({0})", _monotone(math.log, 0.05)),
    "log1p": ("log1p({0})", "torch.log1p({0})", "np.log1p({0})", _monotone(math.log1p, -0.9)),
    "sin": ("sin({0})", "torch.sin({0})", "np.sin({0})", _within(-1, 1, 100)),
    "cos": ("cos({0})", "torch.cos({0})", "np.cos({0})", _within(-1, 1, 100)),
    "erf": ("erf({0})", "torch.erf({0})", "erf({0})", _monotone(math.erf)),
    "atan": ("atan({0})", "torch.atan({0})", "np.arctan({0})", _monotone(math.atan)),
    "sign": ("sign({0})", "torch.sign({0})", "np.sign({0})", lambda a, b: (-1, 1)),
    "round": ("round({0})", "torch.round({0})", "np.round({0})", lambda a, b: (a - 1, b + 1)),
}
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "gt": ">", "lt": "<", "ge": ">=", "le": "<="}
COMPARISONS = ("gt", "lt", "ge", "le")
FUNCTIONS = {
    "maximum": ("maximum({0}, {1})", "torch.maximum({0}, {1})", "np.maximum({0}, {1})"),
    "minimum": ("minimum({0}, {1})", "torch.minimum({0}, {1})", "np.minimum({0}, {1})"),
    "pow": ("pow({0}, {1})", "torch.pow({0}, {1})", "np.power({0}, {1})"),
    "clamp": ("clamp({0}, {1}, {2})", "torch.clamp({0}, {1}, {2})", "np.clip({0}, {1}, {2})"),
    "where": ("where({0}, {1}, {2})", "torch.where({0}, {1}, {2})", "np.where({0}, {1}, {2})"),
}
# {axes}: 0, 1; {dims}: (0, 1), or None; {keep}: , keepdims; {kept}: the same in Python.
REDUCTIONS = {
    "sum": ("sum({0}{axes}{keep})", "torch.sum({0}{dim}{kept})", "np.sum({0}, {dims}{keepdims})"),
    "mean": ("mean({0}{axes}{keep})", "torch.mean({0}{dim}{kept})", "np.mean({0}, {dims}{keepdims})"),
    "max": ("max({0}{axes}{keep})", "torch.amax({0}{dim}{kept})", "np.max({0}, {dims}{keepdims})"),
    "min": ("min({0}{axes}{keep})", "torch.amin({0}{dim}{kept})", "np.min({0}, {dims}{keepdims})"),
    "var": ("var({0}{axes}{keep})", "torch.var({0}{dim}{kept})", "np.var({0}, {dims}, ddof=1{keepdims})"),
    "var_biased": ("var({0}{axes}, correction(0){keep})", "torch.var({0}{dim}, correction=0{kept})",
                   "np.var({0}, {dims}{keepdims})"),
    "stddev": ("stddev({0}{axes}{keep})", "torch.std({0}{dim}{kept})",
               "np.std({0}, {dims}, ddof=1{keepdims})"),
    "norm": ("norm({0}{axes}{keep})", "torch.linalg.vector_norm({0}{dim}{kept})",
             "np.sqrt(np.sum(np.square({0}), {dims}{keepdims}))"),
    "logsumexp": ("logsumexp({0}{axes}{keep})", "torch.logsumexp({0}, {dims}{kept})",
                  "np.log(np.sum(np.exp({0}), {dims}{keepdims}))"),
    "argmax": ("argmax({0}{axes}{keep})", "torch.argmax({0}{one}{kept})", "np.argmax({0}, {first})"),
    "any": ("any({0}{axes}{keep})", "torch.any({0}{one}{kept})", "np.any({0}, {dims}{keepdims})"),
    "count_nonzero": ("count_nonzero({0}{axes})", "torch.count_nonzero({0}{dim})",
                      "np.count_nonzero({0}, {dims})"),
}
# Formulas along an axis, scans, and what reads by indices.
ALONG = {
    "softmax": ("softmax({0}, axis({axis}))", "F.softmax({0}, dim={axis})", "softmax({0}, {axis})"),
    "log_softmax": ("log_softmax({0}, axis({axis}))", "F.log_softmax({0}, dim={axis})",
                    "np.log(softmax({0}, {axis}))"),
    "normalize": ("normalize({0}, axis({axis}))", "F.normalize({0}, dim={axis})", "normalize({0}, {axis})"),
    "layer_norm": ("layer_norm({0}, {1}, {2})", "F.layer_norm({0}, {1}.shape, {1}, {2})",
                   "layer_norm({0}, {1}, {2})"),
    "rms_norm": ("rms_norm({0}, {1})", "rms_norm({0}, {1})", "rms_norm({0}, {1})"),
    "cosine_similarity": ("cosine_similarity({0}, {1}, axis({axis}))",
                          "F.cosine_similarity({0}, {1}, dim={axis})", "cosine({0}, {1}, {axis})"),
    "cross_entropy": ("cross_entropy({0}, {1})", "F.cross_entropy({0}, {1})", "cross_entropy({0}, {1})"),
    "cumsum": ("cumsum({0}, axis({axis}))", "torch.cumsum({0}, {axis})", "np.cumsum({0}, {axis})"),
    "cumprod": ("cumprod({0}, axis({axis}))", "torch.cumprod({0}, {axis})", "np.cumprod({0}, {axis})"),
    "cummax": ("cummax({0}, axis({axis}))", "torch.cummax({0}, {axis}).values",
               "np.maximum.accumulate({0}, {axis})"),
    "logcumsumexp": ("logcumsumexp({0}, axis({axis}))", "torch.logcumsumexp({0}, {axis})",
                     "np.logaddexp.accumulate({0}, {axis})"),
    "take": ("take({0}, {1}, axis({axis}))", "F.embedding({1}, {0})", "np.take({0}, {1}, {axis})"),
    "gather": ("gather({0}, {1}, axis({axis}))", "torch.gather({0}, {axis}, {1})",
               "np.take_along_axis({0}, {1}, {axis})"),
    "cat": ("cat({all}, axis({axis}))", "torch.cat(({all}), {axis})",
            "np.concatenate(({all}), {axis})"),
    "stack": ("stack({all}, axis({axis}))", "torch.stack(({all}), {axis})", "np.stack(({all}), {axis})"),
}
SCANS = ("cumsum", "cumprod", "cummax", "logcumsumexp")


class Node:
    """What an operation gives; `op` is a key of the tables above, "number", "operand" or "name"."""

    def __init__(self, op, parts=(), shape=(), type="float32", span=(-1, 1), **more):
        self.op, self.parts, self.shape, self.type, self.span = op, tuple(parts), tuple(shape), type, span
        self.more = more

    def __add__(self, other): return binary("add", self, other)
    def __radd__(self, other): return binary("add", other, self)
    def __sub__(self, other): return binary("sub", self, other)
    def __rsub__(self, other): return binary("sub", other, self)
    def __mul__(self, other): return binary("mul", self, other)
    def __rmul__(self, other): return binary("mul", other, self)
    def __truediv__(self, other): return binary("div", self, other)
    def __rtruediv__(self, other): return binary("div", other, self)
    def __gt__(self, other): return binary("gt", self, other)
    def __lt__(self, other): return binary("lt", self, other)
    def __ge__(self, other): return binary("ge", self, other)
    def __le__(self, other): return binary("le", self, other)

    @property
    def size(self):
        return math.prod(self.shape)


def operand(name, shape, type="float32", kind="centred", bound=0):
    """A tensor of inputs; `kind` says how its elements are made from hashes, see case.hpp."""
    span = {"centred": (-1, 1), "unit": (0, 1), "positive": (0.5, 1), "mask": (0, 1),
            "index": (0, bound), "order": (0, 1e9), "bits": (-128, 255)}[kind]
    return Node("operand", (), shape, type, span, name=name, kind=kind, bound=bound)


def number(value, type):
    return Node("number", (), (), type, (value, value), value=value)


def named(name, node):
    """A use of what stands in a line before under a name."""
    return Node("name", (node,), node.shape, node.type, node.span, name=name)


def broadcast(*shapes):
    rank = max(map(len, shapes))
    out = [1] * rank
    for shape in shapes:
        for k, size in enumerate((1,) * (rank - len(shape)) + tuple(shape)):
            if size != 1 and out[k] not in (1, size):
                raise ValueError(f"shapes {shapes} do not broadcast")
            out[k] = size if out[k] == 1 else out[k]
    return tuple(out)


def _nodes(*xs):
    """Plain numbers take the element type of the first node."""
    type = next(x.type for x in xs if isinstance(x, Node))
    return [x if isinstance(x, Node) else number(x, type) for x in xs]


def binary(op, a, b):
    a, b = _nodes(a, b)
    if a.type != b.type:
        raise ValueError(f"{op} of {a.type} and {b.type}")
    (al, ah), (bl, bh) = a.span, b.span
    ends = [al * bl, al * bh, ah * bl, ah * bh]
    span = (-1e6, 1e6)
    if op == "add":
        span = al + bl, ah + bh
    elif op == "sub":
        span = al - bh, ah - bl
    elif op == "mul":
        span = min(ends), max(ends)
    elif op == "div" and bl * bh > 0:
        ends = [al / bl, al / bh, ah / bl, ah / bh]
        span = min(ends), max(ends)
    elif op == "maximum":
        span = max(al, bl), max(ah, bh)
    elif op == "minimum":
        span = min(al, bl), min(ah, bh)
    elif op == "pow":
        span = 0, max(1, ah) ** bh
    type = "bool" if op in COMPARISONS else a.type
    return Node(op, (a, b), broadcast(a.shape, b.shape), type, (0, 1) if type == "bool" else span)


def unary(op, x):
    """None where x may lie outside of the domain."""
    span = UNARY[op][3](*x.span)
    return Node(op, (x,), x.shape, x.type, span) if span else None


def apply(op, x):
    made = unary(op, x)
    if made is None:
        raise ValueError(f"{op} of {x.span}")
    return made


def where(condition, a, b):
    a, b = _nodes(a, b)
    return Node("where", (condition, a, b), broadcast(condition.shape, a.shape, b.shape), a.type,
                (min(a.span[0], b.span[0]), max(a.span[1], b.span[1])))


def clamp(x, low, high):
    return Node("clamp", _nodes(x, low, high), x.shape, x.type, (low, high))


def cast(x, type):
    return x if x.type == type else Node("cast", (x,), x.shape, type, x.span)


def reduce(op, x, axes=None, keep=False):
    """Over some axes, or all: None."""
    gone = range(len(x.shape)) if axes is None else [a % len(x.shape) for a in axes]
    shape = [1 if d in gone else n for d, n in enumerate(x.shape) if keep or d not in gone]
    n = math.prod(x.shape[d] for d in gone)
    low, high = x.span
    top = max(abs(low), abs(high))
    span = {"sum": (low * n, high * n), "var": (0, top * top), "var_biased": (0, top * top),
            "stddev": (0, top), "norm": (0, top * math.sqrt(n)), "argmax": (0, n), "count_nonzero": (0, n),
            "any": (0, 1), "logsumexp": (low, high + math.log(n))}.get(op, x.span)
    type = {"argmax": "int64", "count_nonzero": "int64", "any": "bool"}.get(op, x.type)
    return Node(op, (x,), shape, type, span, axes=axes and tuple(axes), keep=keep)


def along(op, *parts, axis=-1):
    x = parts[0]
    shape, span = x.shape, {"softmax": (0, 1), "normalize": (-1, 1)}.get(op, (-60, 60))
    if op == "cosine_similarity":
        shape = x.shape[:-1] if axis == -1 else tuple(n for d, n in enumerate(x.shape) if d != axis)
    elif op == "cross_entropy":
        shape = ()
    elif op == "take":
        shape, span = parts[1].shape + x.shape[1:], x.span
    elif op == "gather":
        shape, span = parts[1].shape, x.span
    elif op == "cat":
        shape, span = list(x.shape), x.span
        shape[axis] = sum(p.shape[axis] for p in parts)
    elif op == "stack":
        shape, span = list(x.shape), x.span
        shape.insert(axis, len(parts))
    elif op in SCANS:
        span = {"cumsum": (-1e4, 1e4), "cumprod": (0, 2), "cummax": x.span}.get(op, span)
    return Node(op, parts, shape, x.type, span, axis=axis)


def permute(x, order):
    return Node("permute", (x,), [x.shape[d] for d in order], x.type, x.span, order=tuple(order))


def reshape(x, shape):
    return Node("reshape", (x,), shape, x.type, x.span, to=tuple(shape))


def pad(x, borders, mode="constant"):
    """A pair (before, after) for each axis."""
    return Node("pad", (x,), [b + n + a for n, (b, a) in zip(x.shape, borders)], x.type,
                (min(0, x.span[0]), max(0, x.span[1])), borders=tuple(borders), mode=mode)


def roll(x, by, axis):
    return Node("roll", (x,), x.shape, x.type, x.span, by=by, axis=axis)


def repeated(x, times, axis):
    """Each element so often along an axis."""
    shape = [n * times if d == axis else n for d, n in enumerate(x.shape)]
    return Node("repeat_interleave", (x,), shape, x.type, x.span, by=times, axis=axis)


def tile(x, times):
    return Node("tile", (x,), [n * t for n, t in zip(x.shape, times)], x.type, x.span, times=tuple(times))


def flip(x, axis):
    return Node("flip", (x,), x.shape, x.type, x.span, axis=axis)


def index(x, *entries):
    """x[entries]: None is a new axis, slice(...) a part of an axis."""
    shape, d = [], 0
    for entry in entries:
        if entry is None:
            shape.append(1)
            continue
        shape.append(len(range(*entry.indices(x.shape[d]))))
        d += 1
    return Node("index", (x,), shape + list(x.shape[d:]), x.type, x.span, entries=entries)


VIEWS = ("permute", "reshape", "flip", "index")
PLACES = {"roll": ("roll({0}, {by}, axis({axis}))", "torch.roll({0}, {by}, {axis})", "np.roll({0}, {by}, {axis})"),
          "repeat_interleave": ("repeat_interleave({0}, {by}, {axis})", "{0}.repeat_interleave({by}, {axis})",
                                "np.repeat({0}, {by}, {axis})"),
          "tile": ("tile({0}, {{{times}}})", "{0}.tile({times})", "np.tile({0}, ({times}))")}


def _say_view(node, inner, weft):
    if node.op == "permute":
        order = ", ".join(map(str, node.more["order"]))
        return f"{inner}.permute({{{order}}})" if weft else f"{inner}.permute({order})"
    if node.op == "reshape":
        to = ", ".join(map(str, node.more["to"]))
        return f"{inner}.reshape({{{to}}})" if weft else f"{inner}.reshape({to})"
    if node.op == "flip":
        return f"{inner}.flip({node.more['axis']})"

    def entry(e):
        if e is None:
            return "newaxis" if weft else "None"
        bounds = [e.start, e.stop] + ([e.step] if e.step else [])
        if not weft:
            return ":".join("" if b is None else str(b) for b in bounds)
        if e == slice(None):
            return "all"
        return f"slice({', '.join('none' if b is None else str(b) for b in bounds)})"

    text = ", ".join(map(entry, node.more["entries"]))
    return f"{inner}({text})" if weft else f"{inner}[{text}]"


def _say_pad(node, inner, language):
    borders, mode = node.more["borders"], node.more["mode"]
    if language == "torch":  # which counts from the last axis, and knows no axes without a border but the first ones
        used = next(d for d, border in enumerate(borders) if border != (0, 0))
        if mode != "constant":
            used = max(1, len(borders) - 2)
        text = ", ".join(f"{b}, {a}" for b, a in reversed(borders[used:]))
        return f"F.pad({inner}, ({text}), mode='{mode}')"
    if language == "numpy":
        return f"np.pad({inner}, {borders}, '{'edge' if mode == 'replicate' else mode}')"
    text = ", ".join(f"{{{b}, {a}}}" for b, a in borders)
    return f"pad({inner}, {{{text}}}{'' if mode == 'constant' else f', PadMode::{mode}'})"


def _number(value, type, weft):
    if type not in FLOATING:
        return str(int(value))
    text = repr(float(value))
    return text + "F" if weft and type != "float64" else text


def say(node, language, wide=False, inside=False):
    """The text of a node. `wide`: what is cast to a floating type is cast to double, for references."""
    weft, column = language == "weft", LANGUAGES.index(language)
    if node.op == "number":
        return _number(node.more["value"], node.type, weft)
    if node.op in ("operand", "name"):
        return node.more["name"]
    if node.op in VIEWS:
        inner = say(node.parts[0], language, wide, True)
        if language == "numpy" and node.op == "permute":
            return f"np.transpose({inner}, {node.more['order']})"
        if language == "numpy" and node.op == "flip":
            return f"np.flip({inner}, {node.more['axis']})"
        return _say_view(node, inner, weft)
    if node.op == "pad":
        return _say_pad(node, say(node.parts[0], language, wide), language)
    if node.op in PLACES:
        times = ", ".join(map(str, node.more.get("times", ())))
        inner = say(node.parts[0], language, wide, language == "torch")
        return PLACES[node.op][column].format(inner, by=node.more.get("by"), axis=node.more.get("axis"), times=times)
    if node.op in INFIX:
        a, b = (say(p, language, wide, True) for p in node.parts)
        text = f"{a} {INFIX[node.op]} {b}"
        return f"({text})" if inside else text
    parts = [say(p, language, wide, node.op == "cast") for p in node.parts]
    if node.op == "cast":
        type = "float64" if wide and node.type in FLOATING else node.type
        if weft:
            return f"cast<{TYPES[type][1]}>({say(node.parts[0], language)})"
        return f"{parts[0]}.to({TYPES[type][2]})" if language == "torch" else f"cast({parts[0]}, '{type}')"
    if node.op in UNARY:
        return UNARY[node.op][column].format(*parts)
    if node.op in FUNCTIONS:
        if weft or language == "numpy":
            return FUNCTIONS[node.op][column].format(*parts)
        # PyTorch's maximum and minimum take no numbers, and its where needs a tensor's type.
        scalar = node.op in ("maximum", "minimum") and node.parts[1].op == "number"
        form = f"torch.clamp({{0}}, {'min' if node.op == 'maximum' else 'max'}={{1}})" if scalar else \
            FUNCTIONS[node.op][column]
        return form.format(*parts)
    if node.op in REDUCTIONS:
        axes, keep = node.more["axes"], node.more["keep"]
        rank = len(node.parts[0].shape)
        dims = tuple(range(rank)) if axes is None else tuple(axes)
        return REDUCTIONS[node.op][column].format(
            *parts, axes="" if axes is None else f", axis({', '.join(map(str, axes))})",
            keep=", keepdims" if keep else "", kept=", keepdim=True" if keep else "",
            keepdims=", keepdims=True" if keep else "", dims=dims,
            dim="" if axes is None else f", dim={dims}", one="" if axes is None else f", dim={dims[0]}",
            first=None if axes is None else dims[0])
    return ALONG[node.op][column].format(*parts, axis=node.more["axis"], all=", ".join(parts))


def walk(node):
    """The nodes of a tree, those behind names included."""
    yield node
    for part in node.parts:
        yield from walk(part)

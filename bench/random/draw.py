"""Sizes, element types and element-wise parts, drawn at random but as programs have them."""
import math
import random

from expressions import (FLOATING, TYPES, UNARY, apply, binary, broadcast, cast, clamp, flip, index, permute,
                         unary, where)
from statements import Operands

WIDTHS = (16, 17, 32, 33, 64, 64, 80, 96, 100, 128, 128, 197, 256, 256, 257, 320, 384, 512, 512, 640, 768,
          768, 1000, 1024, 1024, 1152, 1252, 1280, 1536, 2048, 2048, 2560, 3072, 4096, 4096, 5120, 8192,
          11008, 14336, 16384, 32000, 50257)
HEADS = (2, 3, 4, 7, 8, 8, 12, 14, 16, 16, 28, 32, 32, 49, 56, 64, 77, 100, 128, 197, 224, 256, 512)
LEAST, MOST = 64 << 20, 2 << 30  # bytes that a statement moves
SCALES = {"tiny": 2.0 ** -11, "small": 1 / 16, "full": 1.0}  # of these


class Draw:
    """One statement's random choices; the same seed and case give the same statement."""

    def __init__(self, seed, case, scale=1.0):
        self.random = random.Random(f"weft {seed} {case}")
        self.choice, self.chance_ = self.random.choice, self.random.random
        self.operands = Operands()
        self.budget = math.exp(self.random.uniform(math.log(LEAST), math.log(MOST))) * scale
        self.type = self.random.choices(("float32", "bfloat16", "float16", "float64"), (70, 14, 11, 5))[0]

    def chance(self, p):
        return self.chance_() < p

    def number(self, low=0.05, high=2.0):
        return round(self.random.uniform(low, high), 2)

    def elements(self, streams):
        """How many elements make the budget where `streams` arrays of the statement's type move."""
        return max(64, int(self.budget / (streams * TYPES[self.type][0])))

    def round(self, n):
        """A number of rows: often one that divides well."""
        n = max(1, int(n))
        if n >= 64 and self.chance(0.35):
            return 1 << (n.bit_length() - 1)
        return n // 64 * 64 if n >= 256 and self.chance(0.5) else n

    def width(self, elements, most=1 << 30):
        return self.choice([w for w in WIDTHS if w <= min(most, max(16, elements // 4))])

    def shape(self, elements, rank=None):
        """About so many elements."""
        rank = rank or self.choice((1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5))
        if rank == 1:
            return (max(1, elements - self.choice((0, 0, 0, 1, 5))) if self.chance(0.6) else self.round(elements),)
        last = self.width(elements)
        rest = elements // last
        middle = []
        for _ in range(rank - 2):
            fits = [h for h in HEADS if h <= max(2, rest // 2)]
            middle.append(self.choice(fits or [1]))
            rest = max(1, rest // middle[-1])
        return (self.round(rest), *middle, last)

    def image(self, elements):
        """(N, C, H, W)."""
        side = self.choice([s for s in (7, 14, 28, 32, 56, 64, 112, 128, 224) if s * s <= max(49, elements // 32)])
        channels = self.choice([c for c in (3, 16, 24, 32, 64, 96, 128, 192, 256, 512)
                                if c * side * side <= max(3 * 49, elements // 2)] or [3])
        return (max(2, elements // (channels * side * side)), channels, side, side)

    def x(self, shape, name="x", kind="centred", type=None):
        return self.operands(name, shape, type or self.type, kind)

    def full(self, shape, name="y"):
        """An operand of the whole shape, at times stored in another way or type; in the statement's type."""
        how = self.random.choices(("plain", "turned", "sliced", "shifted", "flipped", "type", "bytes"),
                                  (52, 10, 8, 6, 3, 13, 8))[0]
        rank = len(shape)
        if how == "turned" and rank >= 2:
            order = list(range(rank))
            self.random.shuffle(order)
            if order == sorted(order):
                order[-1], order[-2] = order[-2], order[-1]
            stored = [0] * rank
            for place, axis in enumerate(order):
                stored[axis] = shape[place]
            return permute(self.x(stored, name), order)
        if how in ("sliced", "shifted"):
            begin, gap = (0, self.choice((1, 3, 64))) if how == "sliced" else (1, 1)
            x = self.x((*shape[:-1], shape[-1] + gap), name)
            part = slice(begin, shape[-1] + begin)
            return index(x, *[slice(None)] * (rank - 1), part)
        if how == "flipped":
            return flip(self.x(shape, name), self.choice(range(rank)))
        if how == "type" and self.type in ("float32", "float64"):
            type = self.choice(("bfloat16", "float16") if self.type == "float32" else ("float32",))
            return cast(self.x(shape, name, type=type), self.type)
        if how == "bytes":
            x = self.operands("q", shape, self.choice(("int8", "uint8")), "bits")
            return cast(x, self.type) * self.choice((0.0078125, 0.00390625))
        return self.x(shape, name)

    def part(self, shape, name="b"):
        """An operand that is broadcast: a row, a column, channels, one number."""
        rank = len(shape)
        forms = [(shape[-1],), ()]
        if rank >= 2:
            forms += [(shape[-1],), (shape[-2], 1), (*shape[:-1], 1)]
        if rank >= 3:
            forms += [(shape[-3], 1, 1), shape[1:], (shape[0], *[1] * (rank - 1))]
        return self.x(self.choice(forms), name)

    def mask(self, shape):
        form = self.choice((shape, shape, shape[-1:], (*shape[:-1], 1)))
        return self.operands("mask", form, "bool", "mask")

    def decorated(self, e, p=0.5):
        """A function of e, where one fits; half of the time none."""
        if not self.chance(p):
            return e
        common = ("tanh", "sigmoid", "relu", "gelu", "silu", "exp", "square", "abs", "gelu_tanh")
        ops = [self.choice(common) if self.chance(0.7) else self.choice(sorted(UNARY)) for _ in range(6)]
        made = next((m for m in (unary(op, e) for op in ops) if m), None)
        return made or apply("tanh", e)

    def combined(self, a, b):
        op = self.random.choices(("add", "mul", "sub", "maximum", "minimum", "div", "where"),
                                 (30, 30, 18, 5, 3, 6, 8))[0]
        if op == "div":
            return a / (apply("square", apply("tanh", b)) + self.number(0.3, 1.5))
        if op == "where":
            return where(binary(self.choice(("gt", "lt")), a, b), a, b * self.number())
        if max(map(abs, (*a.span, *b.span))) > 50:
            a, b = apply("tanh", a), apply("tanh", b)
        return binary(op, a, b)

    def tree(self, leaves):
        """One expression of all the leaves; the first has the whole shape."""
        nodes = [self.decorated(x, 0.35) for x in leaves]
        while len(nodes) > 1:
            a = nodes.pop(0)
            b = nodes.pop(self.random.randrange(len(nodes)))
            nodes.insert(0, self.decorated(self.combined(a, b), 0.3))
        e = nodes[0]
        for _ in range(self.choice((0, 1, 1, 2))):
            e = self.choice((lambda v: v * self.number(), lambda v: v + self.number(),
                             lambda v: clamp(v, -1.5, 1.5), lambda v: 1 - v,
                             lambda v: self.decorated(v, 1)))(e)
        return e

    def producer(self, shape, extra=(0, 0, 0, 1, 1, 2)):
        """What is reduced, scanned or normalised: an operand, or an expression over a few."""
        x = self.x(shape)
        more = self.choice(extra)
        if more == 0 and self.chance(0.7):
            return x
        others = [self.full(shape, "h") if self.chance(0.5) else self.part(shape) for _ in range(more)]
        e = self.tree([x, *others])
        return e if broadcast(e.shape, shape) == tuple(shape) and e.type in FLOATING else x

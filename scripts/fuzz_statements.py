#!/usr/bin/env python3
"""Random statements, computed whole and step by step, which must agree.

From a seed it writes a program of statements: operations, broadcasts, reductions, rows, gathers, joins
and moves of contiguous, transposed, strided, flipped and expanded operands. Each is evaluated as one
expression, and with a tensor for each of its parts. Most are assigned to a new tensor; others rebind or
write into an operand, write into a view, or are computed by fuse() beside another. With --gradients the
gradients of all operands are compared instead. `--device Cuda` needs nvcc and a GPU; with --emulate
clang++ compiles the kernels for the CPU (tools/cuda_on_cpu). Returns 1 where results differ or a program
does not compile; the programs stay in build/statements.
"""
import argparse
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
BUILD = REPO / "build" / "statements"
EMULATED = BUILD / "emulated"
SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 33, 40, 64, 65, 130]
UNARY = ["tanh({})", "sigmoid({})", "exp(tanh({}))", "sin({})", "cos({})", "square({})", "abs({})", "-({})", "relu({})",
         "gelu({})", "silu({})", "softplus({})", "sqrt(abs({}) + 0.5)", "log(abs({}) + 0.5)", "1 / (1 + abs({}))",
         "clamp({}, -0.7, 1.1)", "pow(abs({}) + 0.5, 1.3)", "{} * 0.37 + 1", "leaky_relu({}, 0.1)", "elu({})",
         "rsqrt(square({}) + 1)", "let({}, [](auto t) {{ return t * sigmoid(t) + t; }})"]
UNARY_INTEGER = ["-({})", "abs({})", "{} % 7", "relu({})", "sign({})", "({}) / 3", "square({} % 9)", "clamp({}, -3, 5)"]
BINARY = ["{} + {}", "{} - {}", "{} * {}", "{} / (abs({}) + 1)", "maximum({}, {})", "minimum({}, {})",
          "where({0} < {1}, {0} * 2, {1})", "atan2({}, abs({}) + 0.3)", "{0} * {1} + {0}"]
BINARY_INTEGER = ["{} + {}", "{} - {}", "{} * {}", "maximum({}, {})", "minimum({}, {})"]
REDUCTIONS = ["sum", "sum", "mean", "mean", "max", "min", "norm", "logsumexp", "var", "stddev"]


def count(shape):
    n = 1
    for size in shape:
        n *= size
    return n


def listed(shape):
    return "{" + ", ".join(map(str, shape)) + "}"


def broadcast(a, b):
    """The shape of both together, or None."""
    rank = max(len(a), len(b))
    pairs = list(zip([1] * (rank - len(a)) + a, [1] * (rank - len(b)) + b))
    return None if any(p != q and 1 not in (p, q) for p, q in pairs) else [max(p, q) for p, q in pairs]


class Statement:
    """Operands, the parts that are computed from them in order, and the last part's name and shape."""

    def __init__(self, rng, element, steps):
        self.rng, self.integer = rng, element == "int"
        self.operands, self.parts, self.values = [], [], []
        shape = self.shape()
        self.values.append((self.operand(shape), shape))
        for _ in range(steps):
            rng.choices([self.unary, self.binary, self.reduction, self.row, self.move], [6, 7, 4.4, 1.8, 2.2])[0]()
            if count(self.values[-1][1]) > 60000 or len(self.values[-1][1]) > 5:
                break
        self.name, self.result = self.values[-1]

    def shape(self):
        while True:
            shape = [self.rng.choice(SIZES) for _ in range(self.rng.choice([1, 2, 2, 2, 3, 3, 4]))]
            if count(shape) <= 12000:
                return shape

    def operand(self, shape):
        """Declares a tensor, often a view, and returns its name."""
        name, rank, base, view = f"x{len(self.operands)}", len(shape), list(shape), ""
        kind = self.rng.choice(["plain"] * 4 + ["turned", "step", "offset", "flip", "expand"]) if rank else "one"
        axis = self.rng.randrange(rank) if rank else 0
        index = ["all"] * rank
        if kind == "one":
            base, view = [1], "(0)"
        elif kind == "turned" and rank > 1:
            order = self.rng.sample(range(rank), rank)
            for i, at in enumerate(order):
                base[at] = shape[i]
            view = f".permute({listed(order)})"
        elif kind == "expand":
            base[axis] = 1
            view = f".expand({listed(shape)})"
        elif kind in ("step", "offset", "flip"):
            base[axis] = {"step": 2 * shape[axis], "offset": shape[axis] + 3, "flip": shape[axis]}[kind]
            index[axis] = {"step": "slice(none, none, 2)", "offset": f"slice(1, {shape[axis] + 1})",
                           "flip": "slice(none, none, -1)"}[kind]
            view = f"({', '.join(index)})"
        self.operands.append((name, list(shape), f"leaf<T>({listed(base)}, {self.rng.randrange(1 << 20)}, device){view}"))
        return name

    def part(self, text, shape):
        name = f"t{len(self.parts)}"
        self.parts.append(f"auto {name} = K::at({text});")
        self.values.append((name, list(shape)))

    def pick(self):
        return self.rng.choice(self.values[-5:] if self.rng.random() < 0.8 else self.values)

    def unary(self):
        name, shape = self.pick()
        self.part(self.rng.choice(UNARY_INTEGER if self.integer else UNARY).format(name), shape)

    def binary(self):
        name, shape = self.pick()
        fitting = [v for v in self.values if broadcast(v[1], shape)]
        if self.rng.random() < 0.6:
            other, with_other = self.rng.choice(fitting)
        else:
            with_other = [1 if self.rng.random() < 0.35 else size for size in shape]
            while len(with_other) > 1 and self.rng.random() < 0.3:
                with_other = with_other[1:]
            other = self.operand(with_other)
        result = broadcast(with_other, shape)
        if count(result) > 30000:
            return self.unary()
        both = self.rng.sample([name, other], 2)
        return self.part(self.rng.choice(BINARY_INTEGER if self.integer else BINARY).format(*both), result)

    def reduction(self):
        name, shape = self.pick()
        if not shape:
            return self.unary()
        axes = sorted(self.rng.sample(range(len(shape)), self.rng.randint(1, min(len(shape), 3))))
        function = self.rng.choice(["max", "min"] if self.integer else REDUCTIONS)
        if function in ("var", "stddev") and count([shape[a] for a in axes]) < 2:
            function = "mean"
        keep = self.rng.random() < 0.65
        shown = ", ".join(str(a - len(shape) if self.rng.random() < 0.4 else a) for a in axes)
        result = [1 if i in axes else size for i, size in enumerate(shape) if keep or i not in axes]
        argument = f"{name} + 0.01" if function == "norm" else name  # whose gradient at 0 is NaN
        self.part(f"{function}({argument}, axis({shown}){', keepdims' if keep else ''})", result)
        if keep and self.rng.random() < 0.8:
            forms = ["{} - {}", "{} + {}"] + ([] if self.integer else ["{} / (abs({}) + 1)", "{} * {}"])
            self.part(self.rng.choice(forms).format(name, self.values[-1][0]), shape)
        return None

    def row(self):
        name, shape = self.pick()
        if not shape or self.integer:
            return self.unary()
        axis = f"axis({self.rng.randrange(len(shape))})"
        if self.rng.random() < 0.17:
            return self.part(f"layer_norm({name}, {self.operand(shape[-1:])}, {self.operand(shape[-1:])})", shape)
        centred = f"({name} - mean({name}, {axis}, keepdims))"
        return self.part(self.rng.choice([
            f"softmax({name}, {axis})", f"log_softmax({name}, {axis})",
            f"{name} * rsqrt(mean(square({name}), {axis}, keepdims) + 1e-3)",
            f"{name} / (norm({name} + 0.01, {axis}, keepdims) + 0.1)",
            f"{centred} * rsqrt(mean(square({centred}), {axis}, keepdims) + 1e-2)"]), shape)

    def move(self):
        name, shape = self.pick()
        rank = len(shape)
        if not rank:
            return self.unary()
        a, b = self.rng.randrange(rank), self.rng.randrange(rank)
        other = list(shape)
        kind = self.rng.choice(["cumsum", "flip", "roll", "take", "cat", "stack", "transpose", "pad", "tril", "reshape"])
        if kind == "cumsum" and not self.integer:
            return self.part(f"cumsum({name}, axis({a}))", shape)
        if kind == "roll":
            return self.part(f"roll({name}, {self.rng.randint(-3, 3)}, axis({a}))", shape)
        if kind == "take":
            other[a] = self.rng.randint(1, 9)
            ids = ", ".join(str(self.rng.randrange(shape[a])) for _ in range(other[a]))
            return self.part(f"take({name}, tensor<std::int64_t>({{{ids}}}).to(K::device), axis({a}))", other)
        if kind == "cat":
            other[a] *= 2
            return self.part(f"cat({name}, {self.rng.choice([name, self.operand(shape)])}, axis({a}))", other)
        if kind == "stack" and rank < 4:
            other.insert(a, 2)
            return self.part(f"stack({name}, {self.operand(shape)}, axis({a}))", other)
        if kind == "transpose":
            other[a], other[b] = other[b], other[a]
            return self.part(f"transpose({name}, {a}, {b})", other)
        if kind == "pad":
            around = [self.rng.randint(0, 2), self.rng.randint(0, 2)]
            other[-1] += sum(around)
            return self.part(f"pad({name}, {listed(['{0, 0}'] * (rank - 1) + [listed(around)])})", other)
        if kind == "tril" and rank == 2:
            return self.part(f"tril({name})", shape)
        if kind == "reshape":
            return self.part(f"reshape({name}, {{{count(shape)}}})", [count(shape)])
        return self.part(f"flip({name}, axis({a}))", shape)


def compare_values(rng, s, arguments):
    """Lines that evaluate a statement into one kind of target or another."""
    whole, result = f"run(Whole{{}}, {arguments})", listed(s.result)
    like = [name for name, shape, _ in s.operands if shape == s.result]
    target = rng.choice(like) if like else None
    form = rng.choice(["new", "rebind", "assign", "add", "fuse", "tie", "view"])
    lines = [f"Tensor expected = Tensor(run(Steps{{}}, {arguments})).clone();"]
    if form == "rebind":
        name = rng.choice(s.operands)[0]
        return lines + [f"Tensor before = {name}.clone();", f"auto alias = {name};", f"{name} = {whole};",
                        f"check_same({name}, expected);", "check_same(alias, before);"]
    if form == "fuse":
        return lines + [f"auto e = {whole};", "auto [p, q] = fuse(e, e * 2);", "check_same(p, expected);",
                        "check_same(q, Tensor(expected * 2));"]
    if form == "view" and s.result:
        inside = ", ".join(["slice(1, -1)"] * len(s.result))
        return lines + [f"Tensor big = zeros<T>({listed([n + 2 for n in s.result])}, device);", f"big({inside}) = {whole};",
                        f"check_same(big({inside}), expected);", f"big({inside}).fill(0);",
                        "CHECK(count_nonzero(big).item() == 0);"]
    if target and form in ("assign", "add", "tie"):
        lines += [f"if (!is_writable({target})) return;", f"Tensor sum_of_both = {target} + expected;"]
        if form == "assign":
            return lines + [f"{target}.assign({whole});", f"check_same({target}, expected);"]
        if form == "add":
            return lines + [f"{target} += {whole};", f"check_same({target}, sum_of_both);"]
        return lines + [f"Tensor p = empty<T>({result}, device);", f"auto e = {whole};",
                        f"tie(p, {target}) = fuse(e, {target} + e);", "check_same(p, expected);",
                        f"check_same({target}, sum_of_both);"]
    return lines + [f"Tensor z = {whole};", "check_same(z, expected);"]


def compare_gradients(rng, s):
    lines = []
    for name, _, _ in s.operands:
        lines += [f"auto {name}a = parameter({name}.clone());", f"auto {name}b = parameter({name}.clone());"]
    weights = f"leaf<T>({listed(s.result or [1])}, {rng.randrange(1 << 20)}, device){'' if s.result else '(0)'}"
    lines.append(f"auto w = {weights};")
    for copy, kind in (("a", "Whole"), ("b", "Steps")):
        arguments = ", ".join(name + copy for name, _, _ in s.operands)
        lines += [f"weft::Var loss_{copy} = sum(run({kind}{{}}, {arguments}) * w);", f"loss_{copy}.backward();"]
    used = set(re.findall(r"\w+", " ".join(s.parts) + " " + s.name))
    return lines + ["check_same(loss_a.detach(), loss_b.detach());"] + [
        f"check_same_gradient({name}a, {name}b);" for name, _, _ in s.operands if name in used]


def test_case(seed, number, gradients):
    rng = random.Random(f"{seed}/{number}/{gradients}")
    element = rng.choice(["double"] * 5 + ["float"] * 2 + ([] if gradients else ["int", "weft::half"]))
    s = Statement(rng, element, rng.randint(2, 9))
    names = [name for name, _, _ in s.operands]
    lines = [f"using T = {element};", *(f"auto {name} = {made};" for name, _, made in s.operands),
             f"const auto run = [](auto k, {', '.join('auto ' + name for name in names)}) {{",
             "  using K = decltype(k);", *("  " + part for part in s.parts), f"  return {s.name};", "};"]
    lines += compare_gradients(rng, s) if gradients else compare_values(rng, s, ", ".join(names))
    return f'TEST_CASE("statement {number}") {{\n  ' + "\n  ".join(lines) + "\n}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=24, help="statements")
    parser.add_argument("--gradients", action="store_true")
    parser.add_argument("--device", default="Cpu", choices=["Cpu", "Cuda"])
    parser.add_argument("--emulate", action="store_true", help="Cuda's kernels, on the CPU")
    parser.add_argument("--compiler", default="", help="default: g++, or nvcc for Cuda")
    parser.add_argument("--flags", default="-O1", help="for the compiler")
    args = parser.parse_args()
    cuda = args.device == "Cuda"
    compiler = args.compiler or ("clang++" if args.emulate else "nvcc" if cuda else "g++")
    if not shutil.which(compiler):
        print(f"skipped: no {compiler}")
        return 77
    BUILD.mkdir(parents=True, exist_ok=True)
    name = f"{args.device.lower()}_{'gradients' if args.gradients else 'values'}_{args.seed}"
    source, program = BUILD / (name + (".cu" if cuda else ".cpp")), BUILD / name
    headers = ["weft/cuda.hpp", "weft/cuda/reduce.hpp", "weft/cuda/algorithms.hpp"] if cuda else ["weft/weft.hpp"]
    device = f"namespace {{\nconst weft::{args.device} device{{}};\n}}  // namespace\n"
    kinds = "".join(f"struct {k} : statements::{k} {{ static constexpr weft::{args.device} device{{}}; }};\n"
                    for k in ("Whole", "Steps"))
    source.write_text("".join(f"#include <{h}>\n" for h in headers) + '#include "fuzz/statements.hpp"\n'
                      "using namespace weft;\nusing statements::leaf, statements::is_writable, statements::check_same, "
                      "statements::check_same_gradient;\n" + device + kinds +
                      "\n".join(test_case(args.seed, i, args.gradients) for i in range(args.count)))
    if args.emulate:
        copied = EMULATED / "tests" / f"{name}.cpp"
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_text(source.read_text())
        command = [sys.executable, REPO / "tools/cuda_on_cpu/run.py", f"tests/{name}.cpp", "--out", EMULATED]
        return 1 if subprocess.run(command).returncode else 0
    own = ["-std=c++20", *(["-arch=native"] if cuda else ["-Wall", "-Wextra", "-Wno-unused-variable", "-Wno-unused-but-set-variable"])]
    done = subprocess.run([compiler, *own, *args.flags.split(), f"-I{REPO / 'include'}", f"-I{REPO / 'tests'}", source,
                           REPO / "tests" / "main.cpp", "-o", program, *([] if cuda else ["-lpthread"])])
    if done.returncode:
        print(f"statements: {source} does not compile")
        return 1
    return 1 if subprocess.run([program]).returncode else 0


if __name__ == "__main__":
    sys.exit(main())

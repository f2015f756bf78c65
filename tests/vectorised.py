#!/usr/bin/env python3
"""Checks that loops over each function of math::simd, and over gradients, are vectorised, by what the compiler reports.

One file with a loop a line is compiled with -O3 for each instruction set; nothing is run. Compilers
that are not installed are left out, and so are instruction sets of another machine's compiler.
"""
import argparse
import re
import shutil
import subprocess
import sys
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"
BOTH = ("exp exp2 expm1 log log2 log10 log1p sinh cosh tanh sigmoid erf erfc gelu cbrt sqrt rsqrt "
        "asin acos atan asinh acosh atanh floor ceil trunc frac").split()
TWO = "pow atan2 hypot".split()  # of two numbers
FLOAT = "sin cos tan".split()
NEAR = "sin cos tan".split()  # of double, where all angles are near
GXX, CLANG = ["-fopt-info-vec-optimized"], ["-Rpass=loop-vectorize"]
X86 = [[], ["-mavx2", "-mfma"], ["-march=skylake-avx512"]]
X, Y = "weft::Arg<1, float>", "weft::Arg<2, float>"
GRADIENTS = {  # programs of two operands
    "product": f"weft::Apply<weft::op::mul, weft::Apply<weft::op::add, {X}, {Y}>, {Y}>",
    "gated": f"weft::Apply<weft::op::mul, weft::Apply<weft::op::silu, {X}>, {Y}>",
    "power": f"weft::Apply<weft::op::pow, weft::Apply<weft::op::abs, {X}>, {Y}>",
    "waves": f"weft::Apply<weft::op::mul, weft::Apply<weft::op::sin, {X}>, weft::Apply<weft::op::cos, {Y}>>",
    "quotient": f"weft::Apply<weft::op::div, {X}, weft::Apply<weft::op::square, weft::Apply<weft::op::tanh, {Y}>>>",
    "larger": f"weft::Apply<weft::op::maximum, {X}, weft::Apply<weft::op::exp, {Y}>>",
    "gelu": f"weft::Apply<weft::op::mul, weft::Apply<weft::op::gelu, weft::Apply<weft::op::mul, {X}, {Y}>>, {Y}>"}
INPUTS = ("struct Inputs { const float *x, *y, *g; int i; template <int I> [[gnu::always_inline]] float get() const "
          "{ return (I == 1 ? x : I == 2 ? y : g)[i]; } };")
SCALAR = {("clang++",): {"hypot of double"}}  # two at a time, clang estimates, do not pay
COMPILERS = [("g++", GXX, X86), ("clang++", CLANG, X86), ("aarch64-linux-gnu-g++", GXX, [[]])]


def loops():
    cases = [(f, t) for f in BOTH for t in ("float", "double")] + [(f, "float") for f in FLOAT]
    for f, t in cases:
        yield (f"{f} of {t}", f"void {f}_{t}({t}* __restrict y, const {t}* __restrict x, int n) "
               f"{{ for (int i = 0; i < n; ++i) y[i] = weft::math::{f}(x[i]); }}")
    for f in NEAR:
        yield (f"{f} of near doubles", f"void near_{f}(double* __restrict y, const double* __restrict x, int n) "
               f"{{ for (int i = 0; i < n; ++i) y[i] = weft::math::simd::near_{f}(x[i]); }}")
    for t in ("float", "double"):
        for f in TWO:
            yield (f"{f} of {t}", f"void {f}_{t}({t}* __restrict z, const {t}* __restrict x, const {t}* "
                   f"__restrict y, int n) {{ for (int i = 0; i < n; ++i) z[i] = weft::math::{f}(x[i], y[i]); }}")
    for name, program in GRADIENTS.items():
        yield (f"gradients of {name}", f"void of_{name}(float* __restrict a, float* __restrict b, const float* __restrict x, "
               "const float* __restrict y, const float* __restrict g, int n) { const weft::autograd::Sweep<6, "
               f"{program}, weft::autograd::Upstream<3>> sweep{{}}; for (int i = 0; i < n; ++i) {{ const auto both = "
               "sweep(Inputs{x, y, g, i}); a[i] = weft::get<0>(both); b[i] = weft::get<1>(both); } }")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compilers", nargs="*", help="only these")
    args = parser.parse_args()
    names, lines = zip(*loops())
    source = f"#include <weft/autograd.hpp>\n{INPUTS}\n" + "\n".join(lines) + "\n"
    failed = 0
    for compiler, report, sets in COMPILERS:
        if not shutil.which(compiler) or (args.compilers and compiler not in args.compilers):
            continue
        for flags in sets:
            command = [compiler, "-std=c++20", "-O3", *flags, *report, f"-I{INCLUDE}", "-x", "c++", "-c",
                       "-o", "/dev/null", "-"]
            done = subprocess.run(command, input=source, text=True, capture_output=True)
            if done.returncode:
                print(done.stderr)
                return 1
            found = re.findall(r"^<stdin>:(\d+):\d+: (?:optimized: loop|remark: vectorized loop)",
                               done.stderr, re.M)
            missing = [n for i, n in enumerate(names)
                       if str(i + 3) not in found and n not in SCALAR.get((compiler, *flags), ())]
            print(f"{' '.join([compiler, *flags])}: {len(names) - len(missing)} of {len(names)} loops vectorised"
                  + (f", not {', '.join(missing)}" if missing else ""), flush=True)
            failed += len(missing)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

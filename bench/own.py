#!/usr/bin/env python3
"""Times a statement of your own at sizes of your own, with weft alone.

    bench/own.py 'softmax(x * w, axis(-1))' 'x float Nx1000' 'w float 1000' --sizes 256,4096,65536
    bench/own.py 'sum(x, axis(0)) + b' 'x bfloat16 8192xN' 'b bfloat16 N' --sizes 1000,1024 --device cuda

The first argument is an expression in weft's words, each other one an operand: its name, element type and
shape, in which N stands for each of --sizes. For each size it prints the time of the median round, the bytes
a second and, on a GPU, what share of its memory bandwidth that is, then how the last one was evaluated.
Operands are normally distributed; integers are from 0 to 99, bools true half of the time.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
FLOATING = ("float", "double", "half", "bfloat16")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8")
OPERAND = re.compile(r"([A-Za-z_]\w*) (\w+) ((?:\d+|N)(?:x(?:\d+|N))*)")


def operand(text):
    """(name, element type, dimensions) of 'x float Nx1000'."""
    found = OPERAND.fullmatch(text)
    if found is None:
        raise argparse.ArgumentTypeError(f"'{text}' is no operand: write 'x float 4096xN'")
    if found[2] not in FLOATING + INTEGERS + ("bool",):
        raise argparse.ArgumentTypeError(f"'{found[2]}' is none of {', '.join(FLOATING + INTEGERS)}, bool")
    return found[1], found[2], found[3].split("x")


def made(kind, shape):
    """An expression that gives an operand its elements."""
    if kind == "bool":
        return f"randn({shape}, D{{}}) > 0.0F"
    if kind in INTEGERS:
        return f"cast<{kind}_t>(rand({shape}, D{{}}) * 100.0F)"
    return f"cast<weft::{kind}>(randn({shape}, D{{}}))" if kind in ("half", "bfloat16") else f"randn<{kind}>({shape}, D{{}})"


def program(expression, operands, sizes, device, seconds):
    """The C++ program that measures."""
    lines = ["#include <weft/all.hpp>", "#include <cstdio>", "#include <iostream>", "using namespace weft;",
             f"using D = {'Cuda' if device == 'cuda' else 'Cpu'};", "int main() {",
             f"  for (const int64_t N : {{{', '.join(f'int64_t{{{n}}}' for n in sizes)}}}) {{", "    (void)N;"]
    for name, kind, dimensions in operands:
        lines.append(f"    const Tensor {name} = {made(kind, '{' + ', '.join(dimensions) + '}')};")
    lines += [f"    const auto statement = {expression};",
              f"    const Profile p = profile(statement, {{.seconds = {seconds}}});",
              '    std::printf("N = %-10lld %12.3f us %10.1f GB/s", static_cast<long long>(N), 1e6 * p.seconds, '
              "1e-9 * p.rate());",
              '    if (p.percent() > 0) std::printf(" %5.0f %% of the bandwidth", p.percent());',
              '    std::printf("\\n");',
              f"    if (N == {sizes[-1]}) std::cout << explain(statement);", "  }", "}", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("expression", help="in weft's words, without what it is assigned to")
    parser.add_argument("operands", nargs="*", type=operand, help="'NAME TYPE SHAPE', as in 'x float 4096xN'")
    parser.add_argument("--sizes", default="1000", help="what N stands for, comma-separated; default: 1000")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cpu")
    parser.add_argument("--seconds", type=float, default=0.2, help="of timing each; default: 0.2")
    parser.add_argument("--compiler", help="default: nvcc for cuda, $CXX or g++ for the CPU")
    parser.add_argument("--out", type=Path, default=REPO / "build/own", help="folder for the program; default: build/own")
    options = parser.parse_args()
    try:
        sizes = [int(n) for n in options.sizes.split(",")]
    except ValueError:
        parser.error(f"--sizes takes numbers with commas between them, not '{options.sizes}'")
    cuda = options.device == "cuda"
    compiler = options.compiler or ("nvcc" if cuda else os.environ.get("CXX", "g++"))
    if shutil.which(compiler) is None:
        print(f"{compiler} not found: it compiles the program", file=sys.stderr)
        return 77
    options.out.mkdir(parents=True, exist_ok=True)
    source = options.out / ("own.cu" if cuda else "own.cpp")
    source.write_text(program(options.expression, options.operands, sizes, options.device, options.seconds))
    flags = ["-arch=native", "-lcublasLt", "-ldl"] if cuda else ["-march=native", "-pthread"]
    if not cuda and "clang" not in compiler:
        flags.append("-fopenmp")
    binary = options.out / "own"
    done = subprocess.run([compiler, "-std=c++20", "-O2", "-DNDEBUG", f"-I{REPO / 'include'}", source, "-o", binary, *flags],
                          capture_output=True, text=True)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        print("\n".join(errors[:3] or done.stderr.splitlines()[:3]), file=sys.stderr)
        return 1
    return subprocess.run([binary]).returncode


if __name__ == "__main__":
    sys.exit(main())

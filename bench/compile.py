#!/usr/bin/env python3
"""What expressions cost to compile with g++ -O2: weft beside the CPU libraries that are installed.

Three files for each library: with its header alone, with one function that assigns an expression of
three arrays, and with fifty, each another random expression of depth three (+ - * exp tanh sqrt
square; the same fifty for all). CPU seconds and peak memory of the compiler, the least of several
runs taken in turns, and the size of the object with fifty. Prints a Markdown table, or puts it between the marks in a file.
"""
import argparse
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
from compile_budget import compile_once, put  # noqa: E402

MARKS = ("<!-- fifty expressions -->", "<!-- end of fifty expressions -->")

# The name, its header, its array type, and how it writes a function of one operand.
LIBRARIES = [
    ("weft", "weft/weft.hpp", "weft::Tensor<float, weft::Cpu>", "{1}({0})"),
    ("Eigen", "Eigen/Core", "Eigen::ArrayXf", "({0}).{1}()"),
    ("xtensor", "xtensor/xtensor.hpp", "xt::xtensor<float, 1>", "xt::{1}({0})"),
]
OPTIONS = {"Eigen": ["-I/usr/include/eigen3"]}


def expressions(form, count):
    """`count` different ones; the same trees for every form."""
    choose = random.Random(1).choice

    def expression(depth):
        if depth == 0:
            return choose("xyz")
        name = choose(["+", "-", "*", "exp", "tanh", "sqrt", "square"])
        if name in "+-*":
            return f"({expression(depth - 1)} {name} {expression(depth - 1)})"
        return form.format(expression(depth - 1), name)

    found = {}
    while len(found) < count:
        found[expression(3)] = None
    return list(found)


def program(library, count):
    _, header, array, form = library
    text = f"#include <{header}>\nusing T = {array};\n"
    if header.startswith("xtensor"):
        text = "#include <xtensor/xmath.hpp>\n" + text
    for i, expression in enumerate(expressions(form, count)):
        text += f"void f{i}(T& out, const T& x, const T& y, const T& z) {{ out = {expression}; }}\n"
    return text


def is_installed(library):
    name, header, *_ = library
    command = ["g++", "-std=c++20", *OPTIONS.get(name, []), "-E", "-x", "c++", "-", "-o", "/dev/null"]
    source = f"#if !__has_include(<{header}>)\n#error\n#endif\n"
    return name == "weft" or not subprocess.run(command, input=source, capture_output=True, text=True).returncode


def table(runs):
    libraries = [library for library in LIBRARIES if is_installed(library)]
    least, sizes = {}, {}
    for _ in range(runs):
        for library in libraries:
            for count in (0, 1, 50):
                kilobytes = sizes.setdefault((library[0], count), [])
                cost = compile_once("g++", program(library, count), OPTIONS.get(library[0], []), kilobytes)
                least[library[0], count] = min(cost, least.get((library[0], count), cost))
    text = "| CPU seconds / peak MB | header | one expression | fifty | each further | object of fifty |\n|---|---|---|---|---|---|\n"
    for name, *_ in libraries:
        cells = [f"{seconds:.1f} / {peak:.0f}" for seconds, peak in (least[name, count] for count in (0, 1, 50))]
        further = (least[name, 50][0] - least[name, 1][0]) / 49
        text += f"| {name} | {' | '.join(cells)} | {further * 1000:.0f} ms | {sizes[name, 50][0]:.0f} KB |\n"
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--fill", metavar="FILE", help="put the table between FILE's marks")
    args = parser.parse_args()
    return put(table(args.runs), args.fill, MARKS)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures what weft costs to compile, and fails where it is over budget.

CPU seconds (user + system) and peak memory of the compiler, best of several runs. The budget was set
on a machine where nvcc takes 1.40 s for a .cu with cuda_runtime.h and <vector>, and g++ -O2 0.13 s
for a .cpp with <vector>; both are measured again here, and seconds are scaled by them.
"""
import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"
NVCC_BASELINE, GXX_BASELINE = 1.40, 0.13

# Twelve expressions of different types, three to five leaves each.
EXPRESSIONS = [
    "tanh(x * y + b) * exp(-x * x) + 0.5f",
    "x * y + z",
    "sigmoid(x + b) * tanh(y)",
    "(x - y) * (x - y) / (z + 1e-5f)",
    "maximum(x, y) - minimum(y, z) * 0.5f",
    "exp(x) / (1.0f + exp(x + y)) - b",
    "sqrt(square(x) + square(y)) + square(z)",
    "log1p(abs(x)) * (y - b) + z",
    "relu(x * 2.0f - y) + 0.1f * z",
    "where(x > y, x - z, y * b)",
    "sin(x) * cos(y) - cos(x) * sin(z)",
    "(x + y) * (z + b) - x * b",
]
NOISE = 1.15  # runs on a busy machine differ by this much in CPU seconds


def program(headers, device, count):
    includes = "".join(f"#include <{h}>\n" for h in headers)
    if not count:
        return includes
    tensor = f"weft::Tensor<float, weft::{device}>"
    return f"{includes}using T = {tensor};\n" + "".join(
        f"void f{i}(T& out, const T& x, const T& y, const T& z, const T& b) {{ out = {e}; }}\n"
        for i, e in enumerate(EXPRESSIONS[:count]))


def usage():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def measure(compiler, source, runs):
    """The least CPU seconds of some runs, and peak MB."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("t.cu" if "nvcc" in compiler else "t.cpp")
        path.write_text(source)
        command = [compiler, "-std=c++20", "-O2", f"-I{INCLUDE}", "-c", str(path), "-o", f"{folder}/t.o"]
        if "nvcc" in compiler:
            command.insert(1, "-arch=sm_90")
        seconds, peak = [], 0
        for _ in range(runs):
            before = usage()
            child = subprocess.Popen(command)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                sys.exit(f"does not compile: {' '.join(command)}\n{source}")
            seconds.append(usage() - before)
            peak = used.ru_maxrss / 1024
        return min(seconds), peak


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", help="also write the figures to this file")
    args = parser.parse_args()
    rows = []  # what, measured, unit, allowed

    baseline, _ = measure("g++", program(["vector"], "Cpu", 0), 2 * args.runs + 1)
    seconds, peak = measure("g++", program(["weft/weft.hpp"], "Cpu", 1), args.runs)
    scale = baseline / GXX_BASELINE
    rows.append(("g++: <vector>, the baseline", baseline, "s", None))
    rows.append(("g++: weft.hpp and one expression", seconds, "s", 1.5 * scale))
    rows.append(("g++: peak memory of that", peak, "MB", 250))

    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    if nvcc:
        baseline, _ = measure(nvcc, program(["cuda_runtime.h", "vector"], "Cuda", 0), args.runs)
        scale = baseline / NVCC_BASELINE
        one, two, twelve = (measure(nvcc, program(["weft/cuda.hpp"], "Cuda", count), args.runs)[0]
                            for count in (1, 2, 12))
        rows.append(("nvcc: cuda_runtime.h and <vector>, the baseline", baseline, "s", None))
        rows.append(("nvcc: weft/cuda.hpp and one expression", one, "s", 3 * baseline))
        rows.append(("nvcc: each further expression", (twelve - two) / 10, "s", 0.35 * scale))
        if (INCLUDE / "weft/cuda/reduce.hpp").exists():
            both = program(["weft/cuda.hpp", "weft/cuda/reduce.hpp"], "Cuda", 1)
            rows.append(("nvcc: weft/cuda/reduce.hpp on top", measure(nvcc, both, args.runs)[0] - one,
                         "s", 5.5 * scale))
    else:
        print("nvcc not found: its part of the budget is not measured")

    over = 0
    print(f"{'':50}{'measured':>12}{'allowed':>12}")
    for what, value, unit, allowed in rows:
        digits = 0 if unit == "MB" else 2
        bad = allowed is not None and value > NOISE * allowed
        over += bad
        limit = "" if allowed is None else f"{allowed:.{digits}f} {unit}"
        print(f"{what:50}{f'{value:.{digits}f} {unit}':>12}{limit:>12}{'  OVER' if bad else ''}")
    if args.json:
        keys = ("what", "measured", "unit", "allowed")
        Path(args.json).write_text(json.dumps([dict(zip(keys, row)) for row in rows], indent=1) + "\n")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

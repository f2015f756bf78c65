#!/usr/bin/env python3
"""Measures what weft costs to compile, and fails where it is over budget.

CPU seconds (user + system), peak memory of the compiler, and lines of PTX, which are the same in every run. The
budget was set on a machine where g++ -O2 takes 1.20 s for BASELINE, templates of the standard library, and nvcc
1.40 s for a .cu with cuda_runtime.h and <vector>. Both are measured again here, alternating with what is
measured, and seconds are scaled by them. What is within the budget is compiled once, what is subtracted from it
--runs times. What is over is compiled up to --runs times (g++: twice as often), and then all of it anew, twice at
most.

--report measures what each header and each further expression costs instead, and prints a table.
"""
import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

INCLUDE = Path(__file__).resolve().parent.parent / "include"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
NVCC_BASELINE, GXX_BASELINE = 1.40, 1.20
NVCC_COUNTED = "13.0"  # the release whose lines of PTX were counted

# As much work of the same kind as weft with one expression: its time follows weft's from machine to machine.
BASELINE = """
#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <variant>
#include <vector>
using Any = std::variant<int, double, std::string, std::vector<int>, std::map<int, std::string>>;
Any sum(Any a, Any b) {
  return std::visit([](auto x, auto y) -> Any {
    if constexpr (requires { x + y; }) return x + y; else return x;
  }, a, b);
}
void sort(std::vector<std::string>& v) {
  std::sort(v.begin(), v.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
}
"""

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
REDUCTIONS = [
    "sum(x * y, axis(-1))",
    "max(abs(x) - y, axis(0))",
    "mean(square(x - y), axis(-1))",
    "logsumexp(x + b, axis(-1))",
    "sum(exp(x - z))",
]
# Formulas whose reductions run over the rows: softmax, layer norm, log-softmax, RMS norm and one more.
ROWS = [
    "auto e = exp(x - max(x, row, keepdims)); out = e / sum(e, row, keepdims);",
    "auto d = x - mean(x, row, keepdims); out = d * rsqrt(mean(square(d), row, keepdims) + b) * y + z;",
    "auto d = x * y - max(x * y, row, keepdims); out = d - log(sum(exp(d), row, keepdims));",
    "out = x * rsqrt(mean(square(x), row, keepdims) + 1e-5f) * y;",
    "auto e = exp(minimum(x, y)); out = z + e / (1.0f + sum(e, row, keepdims));",
]
# Two results of one kernel.
OUTPUTS = [
    "tie(out, other) = fuse(x * y + b, x - z);",
    "tie(out, other) = fuse(tanh(x + y), exp(x) * z);",
    "tie(out, other) = fuse(0.9f * x + 0.1f * y, 0.99f * z + 0.01f * square(y));",
    "tie(out, other) = fuse(maximum(x, y), minimum(x, y) - b);",
    "tie(out, other) = fuse(sigmoid(x) * y, sqrt(abs(z)));",
]
# What costs what: the statements of a kind, and the header that must be there for it.
KINDS = {
    "element-wise": ([f"out = {e};" for e in EXPRESSIONS], "weft/weft.hpp"),
    "reduction": ([f"out = {e};" for e in REDUCTIONS], "weft/ops/reduce/reduce.hpp"),
    "row program": (ROWS, "weft/ops/reduce/reduce.hpp"),
    "two outputs": (OUTPUTS, "weft/eval/fuse.hpp"),
}
# Seen with nvcc where the baseline was NVCC_BASELINE; scaled by it in the report.
RECORDED = {"MatX: matx.h": 16.7, "CUB: cub/device/device_reduce.cuh": 7.0}
RECORDED_ONE, RECORDED_FURTHER = 21.3, 4.5  # MatX: the include and one expression; each further
# What is allowed over the aim: a busy machine makes this much of a difference to seconds, even relative to the
# baseline. Lines are as many in every run: what is allowed is what a change may add before the aim has to follow.
ALLOWED = {"s": 1.3, "MB": 1.3, "lines": 1.05}
ATTEMPTS = 3
MARKS = ("<!-- compile time -->", "<!-- end of compile time -->")


def program(headers, device, count, kind="element-wise"):
    text = "".join(f"#include <{h}>\n" for h in headers)
    if count:
        text += (f"using weft::axis;\nusing weft::keepdims;\nusing T = weft::Tensor<float, weft::{device}>;\n"
                 "[[maybe_unused]] const auto row = axis(-1);\n")
    for i, statement in enumerate(KINDS[kind][0][:count]):
        other = "T& other, " if "other" in statement else ""
        text += (f"void f{i}(T& out, {other}const T& x, const T& y, const T& z, const T& b) "
                 f"{{ {statement} }}\n")
    return text


def compile_once(compiler, source, options=(), sizes=None, lines=None):
    """CPU seconds and peak MB of one run of the compiler; appends the object's KB to `sizes`, its lines of PTX to
    `lines`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ("t.cu" if "nvcc" in compiler else "t.cpp")
        path.write_text(source)
        command = [compiler, "-std=c++20", "-O2", f"-I{INCLUDE}", *options, "-c", str(path), "-o", f"{folder}/t.o"]
        if "nvcc" in compiler:
            command.insert(1, "-arch=sm_90")
            if lines is not None:
                command += ["-keep", "-keep-dir", folder]
        elif "weft/cuda" in source or "weft/all" in source:
            command.insert(1, f"-I{Path(NVCC).resolve().parent.parent}/include")
        child = subprocess.Popen(command)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise SystemExit(f"does not compile: {' '.join(command)}\n{source}")
        if sizes is not None:
            sizes.append(Path(f"{folder}/t.o").stat().st_size / 1000)
        if lines is not None:
            lines.append(sum(path.read_text().count("\n") for path in Path(folder).glob("*.ptx")))
        return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def measure(compiler, source, runs):
    """The least CPU seconds of some runs, and peak MB."""
    return tuple(map(min, zip(*(compile_once(compiler, source) for _ in range(runs)))))


class Alternating:
    """CPU seconds of several sources, each run between two of a baseline.

    Other work on the machine makes a run slower, so the least of a source's runs counts. The baseline is short:
    its least would fall in moments that no longer run has whole, so its median counts.
    """

    def __init__(self, compiler, baseline):
        self.compiler, self.baseline_source = compiler, baseline
        self.baselines = [compile_once(compiler, baseline)[0]]
        self.seconds = {}
        self.peak = {}
        self.lines = {}

    def run(self, name, source):
        lines = [] if "nvcc" in self.compiler else None
        seconds, peak = compile_once(self.compiler, source, lines=lines)
        self.lines[name] = sum(lines or [])
        self.seconds[name] = min(seconds, self.seconds.get(name, seconds))
        self.peak[name] = min(peak, self.peak.get(name, peak))
        self.baselines.append(compile_once(self.compiler, self.baseline_source)[0])

    @property
    def baseline(self):
        return statistics.median(self.baselines)


def release():
    """Of nvcc: major and minor version."""
    return re.search(r"release ([\d.]+)", subprocess.run([NVCC, "--version"], capture_output=True, text=True).stdout)[1]


def is_over(row):
    _, value, unit, aim = row
    return aim is not None and value > ALLOWED[unit] * aim


def further(compiler, device, kind, runs):
    """CPU seconds of each further statement of a kind; None where weft does not have it yet."""
    statements, needs = KINDS[kind]
    if not (INCLUDE / needs).exists():
        return None
    headers = ["weft/weft.hpp"] if device == "Cpu" else ["weft/cuda.hpp", "weft/cuda/reduce.hpp"]
    first, all_of_them = (measure(compiler, program(headers, device, count, kind), runs)[0]
                          for count in (1, len(statements)))
    return (all_of_them - first) / (len(statements) - 1)


def public_headers():
    """The umbrellas, and what is included beside them: all that weft/all.hpp names."""
    umbrellas = [f"weft/{path.name}" for path in sorted(INCLUDE.glob("weft/*.hpp"))]
    named = re.findall(r'#include "(.*?)"', (INCLUDE / "weft/all.hpp").read_text())
    return sorted({"weft/tensor/tensor.hpp", *umbrellas, *named},
                  key=lambda header: ("all" in header, "cuda" in header, header))


def report(runs):
    """The costs as a Markdown table."""
    compilers = [("g++", "Cpu", ["vector"], ["weft/weft.hpp"])]
    if NVCC:
        compilers.append((NVCC, "Cuda", ["cuda_runtime.h", "vector"], ["weft/cuda.hpp"]))
    text = "| CPU seconds of a file with | g++ -O2 | nvcc -O2 |\n|---|---|---|\n"

    def line(name, values):
        cells = ["" if value is None else f"{value:.2f}" for value in [*values, None][:2]]
        return f"| {name} | {' | '.join(cells)} |\n"

    baselines = [measure(compiler, program(headers, device, 0), runs)[0]
                 for compiler, device, headers, _ in compilers]
    text += line("`<vector>`, with nvcc `cuda_runtime.h` too", baselines)
    scale = baselines[-1] / NVCC_BASELINE if NVCC else 1
    for header in public_headers():
        if NVCC or not re.search("cuda|all", header):
            text += line(f"`{header}`", [measure(compiler, program([header], device, 0), runs)[0]
                                         for compiler, device, *_ in compilers])
    for name, seconds in RECORDED.items():
        text += line(f"{name} (recorded)", [None, seconds * scale])
    text += "| **the include and one expression** | | |\n"
    text += line("weft", [measure(compiler, program(headers, device, 1), runs)[0]
                          for compiler, device, _, headers in compilers])
    text += line("MatX (recorded)", [None, RECORDED_ONE * scale])
    text += "| **each further expression** | | |\n"
    for kind in KINDS:
        costs = [further(compiler, device, kind, runs) for compiler, device, *_ in compilers]
        if any(cost is not None for cost in costs):
            text += line(kind, costs)
    return text + line("MatX, element-wise (recorded)", [None, RECORDED_FURTHER * scale])


def gxx_rows(runs, done):
    """What is measured, its value, its unit and the aim; nothing where all of it is in `done`."""
    seconds_of, memory_of = "g++: weft.hpp and one expression", "g++: peak memory of that"
    if {seconds_of, memory_of} <= done:
        return []
    timer, source = Alternating("g++", BASELINE), program(["weft/weft.hpp"], "Cpu", 1)

    def rows():
        return [("g++: the standard library, the baseline", timer.baseline, "s", None),
                (seconds_of, timer.seconds["one"], "s", 1.5 * timer.baseline / GXX_BASELINE),
                (memory_of, timer.peak["one"], "MB", 250)]

    timer.run("one", source)
    for _ in range(2 * runs - 1):
        if any(map(is_over, rows())):
            timer.run("one", source)
    return rows()


def nvcc_rows(runs, done):
    both = ["weft/cuda.hpp", "weft/cuda/reduce.hpp"]
    sources = {"one": program(["weft/cuda.hpp"], "Cuda", 1),
               "twelve": program(["weft/cuda.hpp"], "Cuda", 12),
               "reduce": program(both, "Cuda", 1),
               "reductions": program(both, "Cuda", len(REDUCTIONS), "reduction"),
               "row": program(both, "Cuda", 1, "row program"),
               "rows": program(both, "Cuda", len(ROWS), "row program")}
    # Name, what is compiled, what is subtracted, what it is divided by, the aim over the baseline's seconds (none:
    # only lines count), and the lines of PTX.
    budget = [("weft/cuda.hpp and one expression", "one", None, 1, 3.3, 1820),
              ("each further expression", "twelve", "one", 11, 0.42 / NVCC_BASELINE, 1561),
              ("weft/cuda/reduce.hpp on top", "reduce", "one", 1, 1.2 / NVCC_BASELINE, 0),
              ("each reduction", "reductions", "reduce", len(REDUCTIONS), None, 5754),
              # The goal is 0.6 s; four kernels, one of them unrolled, cost more (docs/notes/measurements.md).
              ("each further row program", "rows", "row", len(ROWS) - 1, 2.6 / NVCC_BASELINE, 10340)]
    timer = Alternating(NVCC, program(["cuda_runtime.h", "vector"], "Cuda", 0))
    found = release()
    counts = found == NVCC_COUNTED
    if not counts:
        print(f"nvcc {found}: lines of PTX have no limits, which are those of {NVCC_COUNTED}")

    def evaluate(row):
        what, more, less, count, ratio, lines = row
        lines = lines if counts else None
        seconds, counted = ((of[more] - of.get(less, 0)) / count for of in (timer.seconds, timer.lines))
        aim = ratio and ratio * timer.baseline
        return [(f"nvcc: {what}", seconds, "s", aim), (f"nvcc: {what}, PTX", counted, "lines", lines)]

    budget = [row for row in budget if not {f"nvcc: {row[0]}", f"nvcc: {row[0]}, PTX"} <= done]
    if not budget:
        return []
    # What is subtracted runs first, and several times: by one slow run of it, a difference would look small.
    for _ in range(runs):
        for name in {less: None for _, _, less, _, ratio, _ in budget if less and ratio}:
            timer.run(name, sources[name])
    for turn in range(runs):
        for row in budget:
            if row[1] not in timer.seconds or (turn > 0 and any(map(is_over, evaluate(row)))):
                timer.run(row[1], sources[row[1]])
    return [("nvcc: cuda_runtime.h and <vector>, the baseline", timer.baseline, "s", None),
            *(line for row in budget for line in evaluate(row))]


def put(text, target, marks=MARKS):
    """Prints the text, or puts it between the marks in the file."""
    if not target:
        print(text, end="")
        return 0
    page = Path(target).read_text()
    if any(mark not in page for mark in marks):
        sys.exit(f"{target} has no {marks[0]} ... {marks[1]}")
    before, after = page.split(marks[0])[0], page.split(marks[1])[1]
    Path(target).write_text(f"{before}{marks[0]}\n{text}{marks[1]}{after}")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", help="also write the figures to this file")
    parser.add_argument("--report", nargs="?", const="", metavar="FILE",
                        help="print a table of all costs, or put it between FILE's marks")
    args = parser.parse_args()
    if args.report is not None:
        return put(report(args.runs), args.report)
    if not NVCC:
        print("nvcc not found: its part of the budget is not measured")
    latest = {}  # what was measured last of each row
    done = set()  # what has been measured within its budget, and need not be again
    for attempt in range(1, ATTEMPTS + 1):
        rows = gxx_rows(args.runs, done) + (nvcc_rows(args.runs, done) if NVCC else [])
        print(f"{'':50}{'measured':>14}{'aim':>14}{'allowed':>14}")
        over = 0
        for row in rows:
            what, value, unit, aim = row
            latest[what] = row
            digits = 2 if unit == "s" else 0
            if not is_over(row):
                done.add(what)
            bad = what not in done
            over += bad
            cells = [value] if aim is None else [value, aim, ALLOWED[unit] * aim]
            print(f"{what:50}" + "".join(f"{f'{cell:.{digits}f} {unit}':>14}" for cell in cells) +
                  ("  OVER" if bad else ""), flush=True)
        if not over:
            break
        print(f"attempt {attempt} of {ATTEMPTS}: {over} over", flush=True)
    if args.json:
        keys = ("what", "measured", "unit", "aim")
        Path(args.json).write_text(json.dumps([dict(zip(keys, row)) for row in latest.values()], indent=1) + "\n")
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Measures on this GPU what weft's cost model and planners take for granted.

Builds bench/calibrate.cu and runs it: copies of many sizes, loops of each class of operation, empty
launches, and statements with a planner's constant replaced. Prints each figure beside what weft has,
and each constant with the times of other values; FILE gets the figures for explain() on this GPU,
for WEFT_CALIBRATION=FILE. --statements also compares estimates with times for statements of all
families, with the figures that weft has and with those measured here. Returns 77 without a GPU.
"""
import argparse
import math
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BENCH = Path(__file__).resolve().parent
INCLUDE = BENCH.parent / "include"
NVCC = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
# Where each constant that is swept stands. A constant is as good as another within NOISE.
PLACES = {
    "row_blocks": "ReduceLimits::row_blocks, cuda/reduce/plan.hpp",
    "column_blocks": "ReduceLimits::column_blocks, cuda/reduce/plan.hpp",
    "items": "items_of_short_row, items_of_row, items_of_long_row, cuda/reduce/plan.hpp; -: by the row",
    "rows_shift": "least_threads_of_several_rows, most_rows_shift, cuda/elementwise/plan.hpp",
    "parts": "row_cluster, RegisterPlan::choose_threads, cuda/rows/register_plan.hpp",
    "share": "RegisterPlan::choose_ahead, cuda/rows/register_plan.hpp, KiB",
}
NOISE = 1.02


def build(source, folder, part=None):
    program = folder / (source.stem + ("" if part is None else str(part)))
    command = [NVCC, "-std=c++20", "-arch=native", "-O2", f"-I{INCLUDE}", str(source), "-o", str(program)]
    if part is not None:
        command.append(f"-DPART={part}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{source.name} does not compile:\n{done.stdout}")
    return program


def run(program, arguments, environment=None):
    done = subprocess.run([str(program), *arguments], stdout=subprocess.PIPE, text=True,
                          env={**os.environ, **(environment or {})})
    if done.returncode == 77:
        sys.exit(77)
    if done.returncode != 0:
        sys.exit(f"{program.name} failed with {done.returncode}:\n{done.stdout}")
    return [line.split() for line in done.stdout.splitlines()]


def beside(measured, has):
    ratio = measured / has if has else math.inf
    return "" if 0.8 <= ratio <= 1.25 else f"   {ratio:.2f} times what weft has"


def print_figures(lines):
    print(f"{'figure':18} {'measured':>10} {'weft has':>10}")
    for _, name, measured, has in (line for line in lines if line[0] == "figure"):
        print(f"{name:18} {float(measured):>10.4g} {float(has):>10.4g}{beside(float(measured), float(has))}")
    print(f"\n{'operation':18} {'slots':>10} {'weft has':>10}")
    for _, name, kind, measured, has in (line for line in lines if line[0] == "op"):
        print(f"{name + ' ' + kind:18} {float(measured):>10.1f} {float(has):>10.1f}"
              f"{beside(float(measured), float(has))}")
    print("\nx + 1 by bytes, GB/s: " + ", ".join(
        f"{int(size) >> 20} MiB {float(rate) / 1e9:.0f}" for _, size, rate in
        (line for line in lines if line[0] == "copy")))


def print_sweeps(lines):
    cases = {}
    for _, constant, case, value, time, planned, error in (line for line in lines if line[0] == "sweep"):
        cases.setdefault((constant, case), []).append((int(value), float(time), int(planned), float(error)))
    print(f"\n{'constant':14} {'case':18} {'planned':>8} {'best':>6}  microseconds by value")
    for (constant, case), found in cases.items():
        least = min(time for _, time, _, _ in found)
        planned = found[0][2]
        good = [value for value, time, _, _ in found if time <= NOISE * least]
        # 0: the planner's own number of items depends on the row.
        best = "as is" if planned in good else str(good[0]) if planned else "/".join(map(str, good))
        wrong = "".join(f"  WRONG with {v}: {e}" for v, _, _, e in found if e > 1e-4)
        print(f"{constant:14} {case:18} {planned or '-':>8} {best:>6}  " +
              ", ".join(f"{value}: {1e6 * time:.1f}" for value, time, _, _ in found) + wrong)
    print("\n" + "\n".join(f"{name}: {place}" for name, place in PLACES.items()))


def write_figures(lines, path):
    machine = next((" ".join(line[1:]) for line in lines if line[0] == "machine"), "a GPU")
    figures = [f"{name} {measured}" for _, name, measured, _ in (x for x in lines if x[0] == "figure")]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {machine}, by bench/calibrate.py\n" + "\n".join(figures) + "\n")
    print(f"\n{path}: for WEFT_CALIBRATION")


def mean(ratios):
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def print_statements(programs, arguments, path):
    as_is = [line for program in programs for line in run(program, arguments, {"WEFT_CALIBRATION": ""})]
    measured = [line for program in programs
                for line in run(program, arguments, {"WEFT_CALIBRATION": str(path)})]
    print(f"\n{'statement':16} {'kernels':>7} {'bound':>9} {'estimate':>9} {'measured':>9} {'ratio':>6} "
          f"{'calibrated':>10}  limit   (microseconds)")
    ratios, calibrated = [], []
    for line, again in zip(as_is, measured):
        _, name, bound, estimate, time, kernels = line[:6]
        bound, estimate, time = (1e6 * float(x) for x in (bound, estimate, time))
        if estimate == 0:
            print(f"{name:16} {kernels:>7} {bound:>9.1f} {'-':>9} {time:>9.1f}")
            continue
        ratios.append(time / estimate)
        calibrated.append(float(again[4]) / float(again[3]))
        print(f"{name:16} {kernels:>7} {bound:>9.1f} {estimate:>9.1f} {time:>9.1f} {ratios[-1]:>6.2f} "
              f"{calibrated[-1]:>10.2f}  {' '.join(line[6:])}")
    within = [sum(1 / 1.25 <= r <= 1.25 for r in list) for list in (ratios, calibrated)]
    print(f"measured over estimate: geometric mean {mean(ratios):.3f}, within a quarter {within[0]} of "
          f"{len(ratios)}; calibrated {mean(calibrated):.3f}, {within[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer cases, each measured for a shorter time")
    parser.add_argument("--statements", action="store_true", help="compare estimates with times")
    parser.add_argument("--out", type=Path, default=Path("build/calibration"), help="folder of programs and FILE")
    options = parser.parse_args()
    if NVCC is None:
        sys.exit(77)
    folder = options.out.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    arguments = ["--short"] if options.short else []
    jobs = [(BENCH / "calibrate.cu", None)]
    if options.statements:
        jobs += [(BENCH / "estimates.cu", 0), (BENCH / "estimates.cu", 1)]
    with ThreadPoolExecutor() as pool:
        programs = list(pool.map(lambda job: build(job[0], folder, job[1]), jobs))
    lines = run(programs[0], arguments)
    print_figures(lines)
    print_sweeps(lines)
    path = folder / "calibration.txt"
    write_figures(lines, path)
    if options.statements:
        print_statements(programs[1:], arguments, path)


if __name__ == "__main__":
    main()

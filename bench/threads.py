#!/usr/bin/env python3
"""What threads bring on the CPU, with weft's own pool, with OpenMP in its place, and in PyTorch.

Compiles bench/threads.cpp twice with g++, with OpenBLAS where it is found, runs both and PyTorch where it is
installed at several numbers of threads, and prints medians in ms. --busy N runs N processes beside that do
nothing but keep a core each; --csv writes what was measured. speed: the best rival's time over weft's best.
"""
import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SPIN = "while True: pass"


def build(folder, arch):
    """The commands of the contenders: name to argv."""
    flags = ["-std=c++20", "-O3", "-DNDEBUG", f"-march={arch}"]
    probe = subprocess.run(["g++", "-xc", "-", "-o", f"{folder}/probe", "-lopenblas"], input="int main(){return 0;}",
                           text=True, capture_output=True)
    blas = ["-DWEFT_BLAS"] if probe.returncode == 0 else []
    library = ["-lopenblas"] if blas else []
    if not blas:
        print("OpenBLAS is not found: products are weft's own loops")
    rivals = {"pool": [], "avx512": ["-DWEFT_AVX512"], "openmp": ["-fopenmp", f"-I{ROOT}/bench/rivals/openmp"]}
    if "avx512f" not in Path("/proc/cpuinfo").read_text():
        del rivals["avx512"]
    runs = {name: subprocess.Popen(["g++", *flags, *blas, *more, f"-I{ROOT}/include", f"{ROOT}/bench/threads.cpp",
                                    "-o", f"{folder}/{name}", *library]) for name, more in rivals.items()}
    if any([run.wait() for run in runs.values()]):
        sys.exit("bench/threads.cpp does not compile")
    return {name: [f"{folder}/{name}", "--seconds"] for name in rivals}


def has_torch():
    return subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode == 0


def measure(command, threads, active):
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads), "WEFT_NUM_THREADS": str(threads)}
    if not active:
        environment["OMP_WAIT_POLICY"] = "passive"
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"{command[0]} failed:\n{done.stderr}")
    return {row["case"]: row["ms"] for row in map(json.loads, done.stdout.splitlines())}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--threads", default="1,2,4,8,16", help="numbers of threads; those above the cores are left out")
    parser.add_argument("--seconds", type=float, default=0.2, help="for a case")
    parser.add_argument("--arch", default="x86-64-v3")
    parser.add_argument("--busy", type=int, default=0, metavar="N")
    parser.add_argument("--passive", action="store_true", help="OpenMP's threads do not wait actively")
    parser.add_argument("--no-torch", action="store_true")
    parser.add_argument("--csv")
    args = parser.parse_args()
    cores = len(os.sched_getaffinity(0))
    counts = [n for n in map(int, args.threads.split(",")) if n <= cores]
    with tempfile.TemporaryDirectory() as folder:
        commands = {name: [*command, str(args.seconds)] for name, command in build(folder, args.arch).items()}
        torch = not args.no_torch and has_torch()
        spinning = [subprocess.Popen([sys.executable, "-c", SPIN]) for _ in range(args.busy)]
        try:
            figures = {}
            for threads in counts:
                if torch:
                    commands["pytorch"] = [sys.executable, f"{ROOT}/bench/rivals/torch_threads.py", str(threads),
                                           str(args.seconds)]
                for name, command in commands.items():
                    for case, ms in measure(command, threads, not args.passive).items():
                        figures[case, threads, name] = ms
        finally:
            for process in spinning:
                process.kill()
    names = list(commands)
    print(f"{cores} cores, {args.busy} other processes; medians in ms\n")
    print(f"{'case':24}{'threads':>8}" + "".join(f"{name:>10}" for name in names) + f"{'speed':>10}")
    for case in dict.fromkeys(case for case, *_ in figures):
        for threads in counts:
            row = [figures.get((case, threads, name)) for name in names]
            rivals = [ms for name, ms in zip(names, row) if name in ("openmp", "pytorch")]
            ratio = min(rivals) / min(ms for name, ms in zip(names, row) if name not in ("openmp", "pytorch"))
            print(f"{case:24}{threads:8}" + "".join(f"{ms:10.3f}" for ms in row) + f"{ratio:10.2f}")
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["case", "threads", "who", "ms", "busy"])
            rows.writerows([*key, f"{ms:.5f}", args.busy] for key, ms in figures.items())


if __name__ == "__main__":
    main()

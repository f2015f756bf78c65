#!/usr/bin/env python3
"""Ranks on the cores of one machine: weak and strong scaling of a training step over MPI.

    python3 bench/several_gpus/cpu.py --out results [--ranks 1,2,4,8,16] [--name ranks-cpu]

Each rank has one thread and one core; beside it, one process with as many threads. Writes NAME.csv and
prints a table of times and of efficiencies: the time of one rank over that of N (samples a rank), or
over N times that of N (samples on all). Returns 77 where there is no mpirun, 1 where a run failed.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
WEAK, STRONG = "256 samples a rank", "1024 samples on all"


def said(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def run(command, threads):
    """{(case, bytes): ms}; None where it failed."""
    environment = {**os.environ, "WEFT_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads),
                   "OMPI_MCA_btl_vader_single_copy_mechanism": "none"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, env=environment,
                          timeout=300, check=False)
    if done.returncode != 0:
        print(*command, done.stderr[-1500:], sep="\n")
        return None
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return {(line["case"], line["bytes"]): line["ms"] for line in lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    parser.add_argument("--name", default="ranks-cpu")
    parser.add_argument("--ranks", default="", help="numbers of ranks; powers of two up to the cores unless given")
    options = parser.parse_args()
    if not shutil.which("mpirun") or not shutil.which("mpicxx"):
        print("skipped: no mpirun or mpicxx")
        return 77
    cores = len(os.sched_getaffinity(0))
    counts = ([int(n) for n in options.ranks.split(",")] if options.ranks else
              [1 << i for i in range(10) if 1 << i <= cores])
    failed = False
    rows = ["ranks,threads,case,bytes,ms,efficiency"]
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "cpu"
        words = said("mpicxx", "--showme:compile").split(), said("mpicxx", "--showme:link").split()
        subprocess.run(["c++", "-std=c++20", "-O3", "-march=native", "-DWEFT_MPI", "-DOMPI_SKIP_MPICXX",
                        "-DMPICH_SKIP_MPICXX", f"-I{REPO / 'include'}", *words[0],
                        str(REPO / "bench/several_gpus/cpu.cpp"), "-o", str(program), *words[1], "-lz", "-ldl",
                        "-pthread"], check=True)
        one = {}
        print(f"{'ranks':>5} {'threads':>7}  {'case':22} {'ms':>9} {'efficiency':>10}")
        for n in counts:
            mpirun = ["mpirun", "--allow-run-as-root", "--bind-to", "core" if n <= cores else "none",
                      "--oversubscribe", "-n", n, program]
            for ranks, threads, command in [(n, 1, mpirun)] + ([(1, n, [program])] if n > 1 else []):
                found = run(command, threads)
                failed |= found is None
                one = one or found or {}
                for (case, size), ms in (found or {}).items():
                    efficiency = ""
                    if (case, size) in one and size == 0 and (ranks > 1 or case == STRONG):
                        share = ranks * threads if case == STRONG else 1
                        efficiency = f"{one[case, size] / ms / share:.2f}"
                    if ranks == 1 and threads > 1 and case == WEAK:
                        continue
                    rows.append(f"{ranks},{threads},{case},{size},{ms:.4f},{efficiency}")
                    label = f"{case} {size >> 10} KB" if size else case
                    print(f"{ranks:>5} {threads:>7}  {label:22} {ms:9.3f} {efficiency:>10}", flush=True)
    name = next((line.split(":")[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines()
                 if line.startswith("model name")), "CPU")
    commit = said("git", "-C", REPO, "rev-parse", "--short", "HEAD").strip()
    head = f"# {name}, {cores} cores, {said('mpirun', '--version').splitlines()[0]}, commit {commit}"
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / f"{options.name}.csv").write_text("\n".join([head, *rows]) + "\n")
    print(head)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Several GPUs of one host: the tests of tests/several_ranks by NCCL, then weft and PyTorch timed.

    python3 bench/several_gpus/run.py --out results [--gpus 2]

Compiles its programs by nvcc itself, side by side, so that one call on a fresh machine is enough;
needs mpirun, NCCL and, for the rival, torchrun. Writes dist-<gpus>.csv and prints a table.
Returns 77 where there are fewer GPUs, 1 where a test failed or a sum was wrong.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
BEGIN = time.time()


def said(*command, **more):
    """What a command prints; empty where it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=30, **more).stdout
    except OSError:
        return ""


def library(name):
    """The folder of a library, of the toolkit before the system's."""
    for folder in ("/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"):
        for file in (f"{name}.so", f"{name}.so.2"):
            if (Path(folder) / file).exists():
                return Path(folder), file
    sys.exit(f"no {name}.so found")


def compile_all(folder, with_tests):
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    capability = said("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader").split("\n")[0]
    mpi = [w for w in said("mpicxx", "--showme:compile").split() if w.startswith("-I")]
    link = [w for w in said("mpicxx", "--showme:link").split() if w.startswith(("-L", "-l"))]
    nccl, file = library("libnccl")
    flags = ["-std=c++20", f"-arch=sm_{capability.replace('.', '') or '90'}", f"-I{REPO / 'include'}",
             f"-I{REPO / 'tests'}", f"-I{REPO / 'tests/several_ranks'}", "-DWEFT_MPI", "-DWEFT_NCCL",
             "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *mpi]
    sources = {"dist": (REPO / "bench/several_gpus/dist.cu", "-O2")}
    if with_tests:
        for name in ("main", "collectives", "ddp", "parallel", "faults"):
            sources[name] = (REPO / f"tests/several_ranks/{name}.cpp", "-O0")
    running = {name: subprocess.Popen([nvcc, *flags, level, "-x", "cu", "-c", str(source), "-o",
                                       str(folder / f"{name}.o")])
               for name, (source, level) in sources.items()}
    broken = [name for name, process in running.items() if process.wait() != 0]
    libraries = [f"-L{nccl}", f"-l:{file}", "-lcublasLt", "-lz", *link]
    tests = [name for name in sources if name not in ("dist", "faults")]
    for program, objects in (("bench", ["dist"]), ("tests", tests),
                             ("faults", ["faults"] if with_tests else [])):
        if objects and not set(objects) & set(broken):
            subprocess.run([nvcc, *(str(folder / f"{n}.o") for n in objects), "-o",
                            str(folder / program), *libraries], check=False)
    os.environ["LD_LIBRARY_PATH"] = f"{nccl}:{os.environ.get('LD_LIBRARY_PATH', '')}"


def lines_of(name, command, limit):
    """The lines of JSON that a program prints; its output where it fails."""
    try:
        done = subprocess.run([str(w) for w in command], capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as error:
        print(f"{name}: {error}")
        return []
    if done.returncode != 0:
        print(f"{name} returned {done.returncode}\n{done.stdout[-2000:]}\n{done.stderr[-3000:]}")
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    parser.add_argument("--gpus", type=int, default=0, help="processes; all GPUs unless given")
    parser.add_argument("--no-tests", action="store_true")
    parser.add_argument("--no-torch", action="store_true")
    options = parser.parse_args()
    there = len(re.findall(r"^GPU \d+", said("nvidia-smi", "-L"), re.M))
    gpus = options.gpus or there
    if gpus < 2 or there < gpus:
        print(f"skipped: {there} GPUs, at least 2 are needed")
        return 77
    os.environ.setdefault("NCCL_NVLS_ENABLE", "0")
    os.environ["OMP_NUM_THREADS"] = "1"
    os.environ["OMPI_MCA_btl_vader_single_copy_mechanism"] = "none"
    with_tests = not options.no_tests and Path("/usr/include/doctest/doctest.h").exists()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        compile_all(folder, with_tests)
        print(f"compiled after {time.time() - BEGIN:.0f} s", flush=True)
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                  "-n", str(gpus)]
        if with_tests:
            done = subprocess.run([str(w) for w in ["timeout", 60, *mpirun, folder / "tests"]],
                                  capture_output=True, text=True)
            # doctest says SUCCESS on rank 0, and ERROR on any.
            failed = done.returncode != 0 or "SUCCESS" not in done.stdout
            print(f"tests on {gpus} GPUs: {'FAILED' if failed else 'passed'}", flush=True)
            if failed:
                print(done.stdout[-5000:], done.stderr[-3000:])
            for case in ("kill", "hang"):  # one rank dies, or hangs: the others say so
                done = subprocess.run([str(w) for w in ["timeout", 20, *mpirun, "--enable-recovery",
                                                        folder / "faults", case]],
                                      capture_output=True, text=True)
                good = done.stdout.count("ok:") == gpus - 1
                failed |= not good
                print(f"a rank that is gone ({case}): {'ok' if good else 'FAILED'}", flush=True)
                print("\n".join(line for line in done.stdout.splitlines() if line)
                      if good else done.stdout[-2000:] + done.stderr[-2000:])
        else:
            print("tests left out: no doctest")
        mine = lines_of("weft", ["timeout", 90, *mpirun, folder / "bench"], 100)
    rival = []
    if not options.no_torch:
        rival = lines_of("PyTorch", ["torchrun", "--standalone", f"--nproc-per-node={gpus}",
                                     REPO / "bench/rivals/torch_dist.py"], 100)
    about = next((line for line in rival if line["case"] == "about"), {})

    def key(line):
        return line["case"], line.get("bytes", 0), line.get("mode")
    theirs = {key(line): line["ms"] for line in rival if "ms" in line}
    options.out.mkdir(parents=True, exist_ok=True)
    rows = ["case,mode,bytes,ms,bus_gbps,torch_ms,speedup"]
    print(f"{'case':12} {'mode':32} {'size':>8} {'ms':>9} {'bus GB/s':>9} {'torch ms':>9} {'speedup':>8}")
    for line in mine:
        ms, size = line["ms"], line.get("bytes", 0)
        bus = 2 * (gpus - 1) / gpus * size / ms / 1e6
        other = theirs.get(key(line))
        failed |= line.get("right") is False
        rows.append(f"{line['case']},\"{line['mode']}\",{size},{ms:.5f},{bus:.1f},"
                    f"{'' if other is None else f'{other:.5f}'},{'' if other is None else f'{other / ms:.3f}'}")
        print(f"{line['case']:12} {line['mode']:32} {f'{size >> 10} KB' if size else '':>8} {ms:9.4f} "
              f"{f'{bus:.1f}' if size else '':>9} {'' if other is None else f'{other:9.4f}':>9} "
              f"{'' if other is None else f'{other / ms:8.2f}':>8}"
              f"{'' if line.get('right', True) else '  WRONG'}")
    commit = said("git", "rev-parse", "--short", "HEAD", cwd=REPO).strip()
    gpu = said("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split("\n")[0]
    head = f"# {gpus} x {gpu}, PyTorch {about.get('torch', 'none')} (its NCCL {about.get('nccl', '-')}), " \
           f"commit {commit}"
    (options.out / f"dist-{gpus}.csv").write_text("\n".join([head, *rows]) + "\n")
    print(head, f"{time.time() - BEGIN:.0f} s in all")
    return 1 if failed or not mine else 0


if __name__ == "__main__":
    sys.exit(main())

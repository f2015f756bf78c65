#!/usr/bin/env python3
"""Several GPUs of one host: the tests of tests/several_ranks by NCCL, then weft and PyTorch timed.

    python3 bench/several_gpus/run.py --out results [--gpus 2] [--name dist-h200]

Compiles its programs by nvcc itself, side by side and while PyTorch is timed, so that one call on a
fresh machine is enough; needs mpirun, NCCL and, for the rival, torchrun. Each part has a limit of its
own, and what fails or takes longer does not keep the others. Writes NAME.csv and prints a table.
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


def library(name, required=True):
    """The folder of a library, of the toolkit before the system's, and its file's name."""
    for folder in ("/usr/local/cuda/lib64", "/usr/local/cuda/lib", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"):
        for file in (f"{name}.so", f"{name}.so.2", f"{name}.so.9"):
            if (Path(folder) / file).exists():
                return Path(folder), file
    if required:
        sys.exit(f"no {name}.so found")
    return None


TESTS = ("collectives", "ddp", "sharded", "parallel")
BENCHES = ("dist", "sharded", "data_parallel", "encoder", "resnet")


class Programs:
    """The programs, each linked as soon as its objects are there."""

    def __init__(self, folder, with_tests):
        self.folder = folder
        self.nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
        capability = said("nvidia-smi", "--query-gpu=compute_cap", "--format=csv,noheader").split("\n")[0]
        mpi = [w for w in said("mpicxx", "--showme:compile").split() if w.startswith("-I")]
        link = [w for w in said("mpicxx", "--showme:link").split() if w.startswith(("-L", "-l"))]
        nccl, file = library("libnccl")
        self.libraries = [f"-L{nccl}", f"-l:{file}", "-lcublasLt", "-lz", *link]
        flags = ["-std=c++20", f"-arch=sm_{capability.replace('.', '') or '90'}", f"-I{REPO / 'include'}",
                 f"-I{REPO / 'tests'}", f"-I{REPO / 'tests/several_ranks'}", "-DWEFT_MPI", "-DWEFT_NCCL",
                 "-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX", *mpi]
        cudnn = library("libcudnn", required=False)
        if cudnn:
            flags.append("-DWEFT_CUDNN")
            self.libraries += [f"-L{cudnn[0]}", f"-l:{cudnn[1]}"]
        sources = {f"bench_{name}": (REPO / f"bench/several_gpus/{name}.cu", "-O2") for name in BENCHES}
        if with_tests:
            for name in ("main", "faults", *TESTS):
                sources[name] = (REPO / f"tests/several_ranks/{name}.cpp", "-O0")
            sources["one_process"] = (REPO / "tests/dist/data_parallel.cpp", "-O0")
            sources["one_process_main"] = (REPO / "tests/main.cpp", "-O0")
        nice = ["nice", "-n", "5"]  # PyTorch, which is timed meanwhile, comes first
        self.running = {
            name: subprocess.Popen([*nice, self.nvcc, *flags, *(["-Xcompiler=-O0"] if level == "-O0" else
                                                                [level]),
                                    "-x", "cu", "-c", str(source), "-o", str(folder / f"{name}.o")])
            for name, (source, level) in sources.items()}
        os.environ["LD_LIBRARY_PATH"] = f"{nccl}:{os.environ.get('LD_LIBRARY_PATH', '')}"

    def get(self, program, objects, limit):
        """The program of these objects; None where one does not compile in time."""
        out = self.folder / program
        if out.exists():
            return out
        for name in objects:
            try:
                if self.running[name].wait(max(1, BEGIN + limit - time.time())) != 0:
                    print(f"{program}: {name} does not compile", flush=True)
                    return None
            except subprocess.TimeoutExpired:
                print(f"{program}: {name} was not compiled after {limit} s", flush=True)
                return None
        objects = [str(self.folder / f"{name}.o") for name in objects]
        done = subprocess.run([self.nvcc, *objects, "-o", str(out), *self.libraries], check=False)
        return out if done.returncode == 0 else None

    def stop(self):
        for process in self.running.values():
            if process.poll() is None:
                process.terminate()


def output_of(command, limit, **more):
    """(exit code, what was printed, errors); the code is None where it ran past the limit."""
    try:
        done = subprocess.run(["timeout", "-k", "2", str(limit), *map(str, command)], capture_output=True,
                              text=True, timeout=limit + 10, **more)
        return (None if done.returncode in (124, 137) else done.returncode), done.stdout, done.stderr
    except (OSError, subprocess.TimeoutExpired) as error:
        return 1, "", str(error)


def lines_of(name, command, limit, **more):
    """The lines of JSON that a program prints, also of one that fails later."""
    code, out, errors = output_of(command, limit, **more)
    if code != 0:
        print(f"{name}: {'more than %s s' % limit if code is None else 'returned %s' % code}\n"
              f"{errors[-1500:]}", flush=True)
    elif errors and "PyTorch, " in errors:
        print("\n".join(line[:200] for line in errors.splitlines() if line.startswith("PyTorch, ")))
    found = []
    for line in out.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return [line for line in found if isinstance(line, dict)]


def run_tests(programs, gpus, mpirun, limit):
    """Whether all tests pass: by NVLink or PCIe, over sockets, in one process, and with faults."""
    failed = False

    def say(what, good, out, errors):
        nonlocal failed
        failed |= not good
        print(f"{what}: {'passed' if good else 'FAILED'} ({time.time() - BEGIN:.0f} s)", flush=True)
        if not good:
            print(out[-4000:], errors[-1500:])

    tests = programs.get("tests", ("main", *TESTS), limit)
    for what, flags in (("tests", ()), ("tests over sockets", ("-x", "NCCL_P2P_DISABLE=1", "-x",
                                                               "NCCL_SHM_DISABLE=1"))):
        if tests:
            code, out, errors = output_of([*mpirun, *flags, tests], 30)
            # doctest says SUCCESS on rank 0, and ERROR on any.
            say(f"{what} on {gpus} GPUs", code == 0 and "SUCCESS" in out, out, errors)
    one = programs.get("one_process_tests", ("one_process_main", "one_process"), limit)
    if one:
        code, out, errors = output_of([one], 20)
        say("DataParallel in one process", code == 0, out, errors)
    faults = programs.get("faults_program", ("faults",), limit)
    for case in ("kill", "kill0", "hang"):  # one rank dies, or hangs: the others say so
        if faults:
            code, out, errors = output_of([*mpirun, "--enable-recovery", faults, case], 20)
            say(f"a rank that is gone ({case})", out.count("ok:") == gpus - 1, out, errors)
            print("\n".join(line for line in out.splitlines() if "ok:" in line), flush=True)
    if faults and gpus == 4:  # one dies, and three go on from the checkpoint
        flags = [word for word in mpirun if word not in ("-n", "4")]
        code, out, errors = output_of([REPO / "tests/several_ranks/resume.sh", *flags, "--enable-recovery", "--",
                                       faults], 40)
        say("three ranks go on where four were", "10 after step 10" in out, out, errors)
    return not failed and None not in (tests, one, faults)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, default=Path("build/bench"))
    parser.add_argument("--name", default="", help="of the file; dist-<gpus> unless given")
    parser.add_argument("--gpus", type=int, default=0, help="processes; all GPUs unless given")
    parser.add_argument("--limit", type=int, default=100, help="seconds after which nothing is waited "
                        "for that has not compiled")
    parser.add_argument("--total", type=int, default=600, help="seconds after which no part is begun")
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
    mine, rival = [], []
    with tempfile.TemporaryDirectory() as folder:
        programs = Programs(Path(folder), with_tests)
        if not options.no_torch:
            script = REPO / "bench/rivals/torch_dist.py"
            rival = lines_of("PyTorch", ["torchrun", "--standalone", f"--nproc-per-node={gpus}", script], 75)
            rival += lines_of("PyTorch", [sys.executable, script, "data_parallel"], 20)
            print(f"PyTorch after {time.time() - BEGIN:.0f} s", flush=True)
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "--bind-to", "none",
                  "-n", str(gpus)]
        if with_tests:
            failed |= not run_tests(programs, gpus, mpirun, options.limit)
        else:
            print("tests left out: no doctest")
        for name in BENCHES:
            if time.time() - BEGIN > options.total:
                print(f"{name}: left out after {options.total} s", flush=True)
                continue
            program = programs.get(f"{name}_program", (f"bench_{name}",), options.limit)
            if program is None:
                failed = True
                continue
            start = [program] if name == "data_parallel" else [*mpirun, program]
            mine += lines_of(name, start, 25)
            print(f"{name} after {time.time() - BEGIN:.0f} s", flush=True)
        for ctas in (4, 16):  # fewer cores for NCCL, more for products
            program = programs.get("dist_program", ("bench_dist",), options.limit)
            if program and time.time() - BEGIN < options.total:
                few = lines_of("mlp", [*mpirun, "-x", f"NCCL_MAX_CTAS={ctas}", program, "mlp"], 15)
                mine += [{**line, "mode": f"{line['mode']}, {ctas} CTAs"} for line in few]
        programs.stop()
    about = next((line for line in rival if line["case"] == "about"), {})

    def key(line):
        return line["case"], line.get("bytes", 0), line.get("mode")
    theirs = {key(line): line for line in rival if "ms" in line}
    options.out.mkdir(parents=True, exist_ok=True)
    rows = ["case,mode,bytes,ms,bus_gbps,bytes_a_parameter,peak,torch_ms,speedup,torch_bytes_a_parameter,"
            "torch_peak"]
    print(f"{'case':13} {'mode':36} {'size':>8} {'ms':>9} {'bus GB/s':>8} {'B/par':>6} {'peak':>6} "
          f"{'torch ms':>9} {'speedup':>8} {'B/par':>6} {'peak':>6}")

    def shown(x, digits, width):
        return f"{'' if x is None else f'{x:.{digits}f}':>{width}}"
    for line in mine + [other for name, other in theirs.items() if name not in {key(m) for m in mine}]:
        own = line in mine
        ms, size = line["ms"] if own else None, line.get("bytes", 0)
        bus = 2 * (gpus - 1) / gpus * size / ms / 1e6 if size and ms else None
        other = theirs.get(key(line), {})
        memory = [line.get("held"), line.get("peak")] if own else [None, None]
        numbers = [ms, bus, *memory, other.get("ms"), other["ms"] / ms if other and ms else None,
                   other.get("held"), other.get("peak")]
        failed |= line.get("right") is False
        digits = (5, 1, 3, 3, 5, 3, 3, 3)
        rows.append(f"{line['case']},\"{line['mode']}\",{size}," +
                    ",".join(shown(x, d, 0) for x, d in zip(numbers, digits)))
        widths = (9, 8, 6, 6, 9, 8, 6, 6)
        print(f"{line['case']:13} {line['mode']:36} {f'{size >> 10} KB' if size else '':>8} " +
              " ".join(shown(x, min(d, 4), w) for x, d, w in zip(numbers, digits, widths)) +
              ("" if line.get("right", True) else "  WRONG"))
    commit = said("git", "rev-parse", "--short", "HEAD", cwd=REPO).strip()
    gpu = said("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader").split("\n")[0]
    head = f"# {gpus} x {gpu}, PyTorch {about.get('torch', 'none')} (its NCCL {about.get('nccl', '-')}), " \
           f"commit {commit}"
    (options.out / f"{options.name or f'dist-{gpus}'}.csv").write_text("\n".join([head, *rows]) + "\n")
    print(head, f"{time.time() - BEGIN:.0f} s in all")
    return 1 if failed or not mine else 0


if __name__ == "__main__":
    sys.exit(main())

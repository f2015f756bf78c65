#!/usr/bin/env python3
"""Runs weft's GPU benchmarks and the rivals beside them on one GPU, and writes the results.

Rounds of processes (weft, PyTorch, JAX, MatX, and again), so that all see the same machine; medians over
the rounds. Writes <machine>.csv, <machine>-all.csv and <machine>.svg to the output folder and prints
a table last. A rival that is not there is left out with one line. Returns 77 without a GPU, and 1
where a result of weft's was wrong or a case failed.

--ncu counts the bytes that weft's kernels move instead of timing anything; see dram.py.
"""
import argparse
import datetime
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import dram
import report
from targets import GROUPS, TARGETS

BENCH = Path(__file__).resolve().parent
RIVALS = {"torch": "torch_bench.py", "jax": "jax_bench.py", "matx": None}  # None: a program


def output_of(*command):
    """What a command prints; empty where it cannot be run."""
    try:
        done = subprocess.run(command, cwd=BENCH, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


class Runner:
    """Runs one program after another and gathers the lines that they print."""

    def __init__(self, log):
        self.log = log
        self.lines = []      # one a case, program and round
        self.about = {}      # device, versions
        self.problems = []   # sentences for the end
        self.wrong = False   # a case of weft's failed
        self.durations = {}

    def problem(self, sentence):
        if sentence not in self.problems:
            self.problems.append(sentence)
            print(sentence, flush=True)

    def run(self, name, command, turn, timeout=300):
        """The exit code; 77 where the program says that it has nothing to run on."""
        begin = time.time()
        try:
            done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE,
                                  stderr=self.log, text=True, timeout=timeout)
            code, text = done.returncode, done.stdout
        except subprocess.TimeoutExpired as stopped:
            code, text = 124, stopped.stdout or ""
            text = text if isinstance(text, str) else text.decode(errors="replace")
        except OSError as error:
            code, text = 127, str(error)
        seconds = self.durations[name] = time.time() - begin
        self.log.write(f"== {name}, round {turn}: exit code {code}, {seconds:.1f} s\n{text}\n")
        self.log.flush()
        for raw in text.splitlines():
            try:
                line = json.loads(raw)
            except ValueError:
                if code == 77:
                    self.problem(f"{name}: not run, {raw.removeprefix('skipped: ')}")
                continue
            if "failed" in line:
                who = name if name in RIVALS and not RIVALS[name] else line["who"]
                self.problem(f"{who}: {line['case']} failed, {line['failed']}")
                self.wrong = self.wrong or who == "weft"
            elif "case" in line:
                self.lines.append({**line, "process": turn})
            elif "rival" in line:
                self.about[line["rival"]] = line["version"]
            else:
                self.about.update(line)
        weft = name.startswith("bench_")
        if code not in ((0, 77) if RIVALS.get(name) else (0, 1, 77)):  # 1: a case failed
            self.problem(f"{name}: ended with code {code} in round {turn}, see bench.log")
            self.wrong = self.wrong or weft
        return code


def header(about):
    """What the results were measured with, in words for the head of the files."""
    driver = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
    nvcc = output_of(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version")
    toolkit = re.search(r"release ([\d.]+)", nvcc)
    commit = output_of("git", "rev-parse", "--short=12", "HEAD")
    if commit and output_of("git", "status", "--porcelain", "--untracked-files=no"):
        commit += " and changes"
    versions = [f"{name} {about[name]}" for name in RIVALS if name in about]
    return {
        "device": about.get("device", "unknown"),
        "driver": f"{driver.split()[0] if driver else 'unknown'} (CUDA {about.get('driver_cuda', 'unknown')})",
        "toolkit": f"nvcc {toolkit[1] if toolkit else 'unknown'}, runtime {about.get('cuda', 'unknown')}",
        "versions": ", ".join(versions) or "no rivals",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": commit or "unknown",
    }


def wanted_cases(text):
    names = [name for name in text.split(",") if name] or list(GROUPS)
    cases = [case for name in names for case in GROUPS.get(name, [name])]
    for case in cases:
        if case not in TARGETS:
            sys.exit(f"run.py: there is no case or group {case}, expected {', '.join(GROUPS)} or a case")
    return [case for case in TARGETS if case in cases]


def command_of(rival, build):
    return [build / "bin" / f"bench_{rival}"] if not RIVALS[rival] else [
        sys.executable, BENCH / "rivals" / RIVALS[rival]]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", default="build/bench", help="folder for the results; default: %(default)s")
    parser.add_argument("--build", default=str(BENCH.parent / "build" / "release"),
                        help="folder that weft was built in; default: %(default)s")
    parser.add_argument("--cases", default="", help="groups (" + ", ".join(GROUPS) + ") or cases; default: all")
    parser.add_argument("--rivals", default=",".join(RIVALS), help="default: %(default)s; none: weft alone")
    parser.add_argument("--no-compile", action="store_true", help="leave torch.compile out")
    parser.add_argument("--processes", type=int, default=3, help="rounds; default: %(default)s")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--limit", type=float, default=150,
                        help="start no rival that would pass this many seconds; 0: no limit; default: %(default)s")
    parser.add_argument("--ncu", action="store_true",
                        help="only count the bytes that weft's kernels move, against the least")
    parser.add_argument("--markdown", metavar="CSV", help="only print that file as a table for the docs")
    parser.add_argument("--fill", metavar="FILE",
                        help="with --markdown: put the table between FILE's result marks")
    args = parser.parse_args()
    if args.markdown:
        return report.markdown(Path(args.markdown), args.fill and Path(args.fill))

    cases = wanted_cases(args.cases)
    work = {group: [case for case in GROUPS[group] if case in cases or case == "copy"]
            for group in GROUPS}  # the copy is what the others are measured by
    if args.ncu:
        work = {group: [case for case in GROUPS[group] if case in cases and group not in ("small", "matmul", "training")]
                for group in GROUPS}
    programs = {group: Path(args.build) / "bin" / f"bench_{group}" for group in GROUPS if work[group]}
    missing = [path for path in programs.values() if not path.exists()]
    if missing:
        print(f"skipped on the GPU: {missing[0]} is not built, where there is no nvcc it cannot be")
        return 77
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    if args.ncu:
        return dram.measure(programs, work, out)
    rivals = [name for name in args.rivals.split(",") if name in RIVALS]
    begin = time.time()
    with open(out / "bench.log", "w", errors="replace") as log:
        runner = Runner(log)
        for turn in range(1, 2 if args.quick else args.processes + 1):
            for group, program in programs.items():
                command = [program, "--cases", ",".join(work[group])]
                if runner.run(program.name, command, turn) == 77:
                    return 77
            for rival in list(rivals):
                late = time.time() - begin + runner.durations.get(rival, 0)
                if args.limit and late > args.limit:
                    runner.problem(f"{rival}: no round {turn}, it would end after {late:.0f} s (--limit)")
                    continue
                command = command_of(rival, Path(args.build))
                if not command[-1].exists():
                    runner.problem(f"{rival}: not built")
                    rivals.remove(rival)
                    continue
                command += ["--cases", ",".join(case for case in cases if case != "small_chain_fresh")]
                if RIVALS[rival]:
                    command += ["--no-check"] * (turn > 1) + ["--no-compile"] * args.no_compile
                if runner.run(rival, command, turn) == 77:
                    rivals.remove(rival)
        results = report.Results(runner.lines, header(runner.about))
        files = results.write(out)
        table = results.table(cases)
        log.write(table)
    print(f"{', '.join(str(f) for f in files)}; {time.time() - begin:.0f} s\n\n{table}")
    return 1 if runner.wrong or results.wrong or not results.rows else 0


if __name__ == "__main__":
    sys.exit(main())

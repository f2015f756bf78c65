#!/usr/bin/env python3
"""Builds the fuzz targets in tests/fuzz by clang++ and runs each for some seconds.

Address and undefined-behaviour sanitizers are on. What is found interesting is kept in
build/fuzz/corpus, and an input that fails is left in build/fuzz/failures and named; such inputs that
were fixed are in tests/fuzz/regressions/TARGET and run first.
"""
import argparse
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
BUILD = REPO / "build" / "fuzz"


def build(target):
    program = BUILD / target
    return subprocess.run(
        ["clang++", "-std=c++20", "-O1", "-g1", "-fsanitize=fuzzer,address,undefined", "-fno-sanitize-recover=all",
         f"-I{REPO / 'include'}", REPO / "tests" / "fuzz" / f"{target}.cpp", "-o", program, "-lz"],
        capture_output=True, text=True)


def run(target, seconds):
    corpus, seeds = BUILD / "corpus" / target, BUILD / "seeds" / target
    corpus.mkdir(parents=True, exist_ok=True)
    (BUILD / "failures").mkdir(exist_ok=True)
    known = sorted((REPO / "tests" / "fuzz" / "regressions" / target).glob("*"))
    options = ["-rss_limit_mb=3000", "-malloc_limit_mb=1500", "-timeout=20", "-print_final_stats=1",
               f"-artifact_prefix={BUILD / 'failures' / target}-"]
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=1"}
    if known:
        done = subprocess.run([BUILD / target, *options, *known], capture_output=True, text=True, env=environment)
        if done.returncode:
            return done
    return subprocess.run([BUILD / target, *options, f"-max_total_time={seconds}", "-max_len=16384", corpus, seeds],
                          capture_output=True, text=True, env=environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=int, default=120, help="for each target")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*", help="only these, as in npy")
    args = parser.parse_args()
    if not shutil.which("clang++"):
        print("skipped: no clang++, whose libFuzzer this needs")
        return 77
    targets = args.targets or sorted(p.stem for p in (REPO / "tests" / "fuzz").glob("*.cpp"))
    BUILD.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, REPO / "tests" / "fuzz" / "seeds.py", BUILD / "seeds"], check=True)
    failed = 0

    def work(target):
        built = build(target)
        return built, None if built.returncode else run(target, args.seconds)

    with ThreadPoolExecutor(args.jobs) as pool:
        for target, (built, ran) in zip(targets, pool.map(work, targets)):
            if ran is None:
                print(f"{target}: does not build\n{built.stderr[:2000]}")
                failed += 1
            elif ran.returncode:
                print(f"{target}: FAILED\n{ran.stderr[-4000:]}")
                failed += 1
            else:
                units = next((l.split()[-1] for l in ran.stderr.splitlines() if "number_of_executed_units" in l), "?")
                print(f"{target}: {units} inputs, nothing found", flush=True)
    print(f"fuzz: {len(targets)} targets, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

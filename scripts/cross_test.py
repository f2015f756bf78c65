#!/usr/bin/env python3
"""Builds tests for aarch64 by a cross compiler and runs them under qemu, one program a file.

Needs g++-aarch64-linux-gnu and qemu-user (Debian's names) and doctest; exits with 77 where they are missing.
Without arguments the tests of every room that reach a processor: numbers, memory, loops, files.
"""
import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
COMPILER, EMULATOR = "aarch64-linux-gnu-g++", "qemu-aarch64"
TESTS = """core/half core/layout core/math/bits core/math/elementary core/math/power core/math/trigonometric
core/random/philox tensor/print tensor/slice tensor/tensor ops/compose ops/conv/conv ops/elementwise/binary
ops/elementwise/cast ops/elementwise/unary ops/index/scatter ops/linalg/matmul ops/random/random ops/reduce/reduce
eval/assign cpu/elementwise/for_each cpu/elementwise/non_temporal cpu/elementwise/tile cpu/matmul cpu/memory
cpu/order/sort cpu/parallel cpu/reduce cpu/rows/rows io/npy io/safetensors spellings""".split()


def doctest_folder(folder):
    """A folder with doctest.h alone: the host's /usr/include must not be searched."""
    for place in ("/usr/include", "/usr/local/include"):
        if (Path(place) / "doctest/doctest.h").exists():
            shutil.copytree(f"{place}/doctest", folder / "doctest")
            return folder
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("tests", nargs="*", help="as core/half")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if not (shutil.which(COMPILER) and shutil.which(EMULATOR) and doctest_folder(folder)):
            print(f"skipped: {COMPILER}, {EMULATOR} or doctest/doctest.h not found")
            return 77
        build = [COMPILER, "-std=c++20", "-O1", "-static", f"-I{REPO}/include", f"-I{REPO}/tests", f"-I{folder}"]
        subprocess.run([*build, "-c", f"{REPO}/tests/main.cpp", "-o", f"{folder}/main.o"], check=True)
        failed = 0
        for test in args.tests or TESTS:
            done = subprocess.run([*build, f"{REPO}/tests/{test}.cpp", f"{folder}/main.o", "-o", f"{folder}/test"])
            if done.returncode == 0:
                done = subprocess.run([EMULATOR, f"{folder}/test"], cwd=REPO, stdout=subprocess.PIPE, text=True)
            failed += done.returncode != 0
            print("failed" if done.returncode else "passed", test, flush=True)
            if done.returncode and done.stdout:
                print(done.stdout)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

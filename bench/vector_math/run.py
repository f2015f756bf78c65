#!/usr/bin/env python3
"""Times the CPU's elementary functions for several instruction sets and prints a Markdown table.

Builds loops.cpp with g++ -O3 and each set's flags, runs the builds in turn, several rounds, and takes the
smallest time of each. Eigen is a rival where its headers are found (Debian: libeigen3-dev).
"""
import argparse
import platform
import subprocess
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SETS = {"x86-64": [], "AVX2": ["-mavx2", "-mfma"], "native": ["-march=native", "-mprefer-vector-width=512"]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        programs = {}
        for name, flags in SETS.items():
            programs[name] = f"{folder}/{name}"
            subprocess.run(["g++", "-std=c++20", "-O3", "-DNDEBUG", *flags, f"-I{HERE.parent.parent}/include",
                            "-isystem", "/usr/include/eigen3", str(HERE / "loops.cpp"), "-o", programs[name]],
                           check=True)
        for _ in range(args.rounds):
            for name, program in programs.items():
                lines = subprocess.run([program], text=True, capture_output=True, check=True).stdout
                for line in lines.splitlines():
                    function, kind, *ns = line.split(",")
                    for who, value in zip(("weft", "libm", "Eigen"), map(float, ns)):
                        key = (function, kind, name, who)
                        times[key] = min(times.get(key, value), value)
    print(f"{platform.machine()}, ns an element: weft / libm / Eigen\n")
    columns = [f"{kind}, {name}" for kind in ("float", "double") for name in SETS]
    print("| | " + " | ".join(columns) + " |")
    print("|---|" + "---|" * len(columns))
    functions = list(dict.fromkeys(key[0] for key in times))
    for function in functions:
        cells = []
        for kind in ("float", "double"):
            for name in SETS:
                values = [times[function, kind, name, who] for who in ("weft", "libm", "Eigen")]
                cells.append(" / ".join(f"{v:.2f}" if v else "-" for v in values))
        print(f"| {function.replace(';', ',')} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs other libraries' own test suites against weft on the CPU, from outside.

ONNX's backend node tests and the bodies of its composed operators, NumPy's accuracy tables of
elementary functions, and PyTorch's OpInfo samples with their gradients. The suites come with the
packages onnx, numpy and torch from PyPI; none of them is in this repository. The programs in
tests/conformance are built in build/conformance, where a table of all cases (results.tsv) and a
summary (summary.md) are left. Fails where a case fails that is not in tests/conformance/known.txt,
and where fewer pass than did before.
"""
import argparse
import collections
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
SOURCES = REPO / "tests" / "conformance"
BUILD = REPO / "build" / "conformance"
PYTHON = REPO / "build" / "venv" / "bin" / "python"
# What --quick leaves out, since it takes long to compile or tests little that the rest does not.
SLOW = {"arithmetic", "bits", "casts", "comparisons", "norms", "quantised", "order", "products", "optimizers"}
# No run may pass fewer cases.
LEAST = {"onnx": 1319, "onnx bodies": 446, "umath": 40, "opinfo": 4285}
LEAST_QUICK = {"onnx": 806, "umath": 40}


def compiler():
    return ([shutil.which("ccache")] if shutil.which("ccache") else []) + [os.environ.get("CXX", "g++")]


def build(programs, jobs):
    """Compiles the sources of each program and links it; gives what failed."""
    BUILD.mkdir(parents=True, exist_ok=True)
    flags = ["-std=c++20", "-O0", "-Wall", "-Wextra", f"-I{REPO / 'include'}"]
    sources = sorted({s for files in programs.values() for s in files})

    def object_of(source):
        return BUILD / (source.relative_to(SOURCES).as_posix().replace("/", "_") + ".o")

    def compile_one(source):
        return source, subprocess.run([*compiler(), *flags, "-c", source, "-o", object_of(source)],
                                      capture_output=True, text=True)

    with ThreadPoolExecutor(jobs) as pool:
        for source, done in pool.map(compile_one, sources):
            if done.returncode:
                sys.exit(f"{source.relative_to(REPO)} does not compile:\n{done.stderr[:4000]}")
    for program, files in programs.items():
        done = subprocess.run([*compiler()[-1:], *map(object_of, files), "-o", BUILD / program, "-lz", "-pthread"],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{program} does not link:\n{done.stderr[:4000]}")


def rows_of(program, *files):
    done = subprocess.run([BUILD / program, *files], capture_output=True, text=True)
    rows = [tuple(line.split("\t")) for line in done.stdout.splitlines()]
    if done.returncode:
        rows.append((f"{program} itself", "failed", f"ended with {done.returncode} after {len(rows)} cases: "
                     + done.stderr[-300:].replace("\n", " ").replace("\t", " ")))
    return rows


def written(script, *files):
    """Runs a script that writes cases; gives the cases it left out."""
    done = subprocess.run([PYTHON, SOURCES / script, *map(str, files)], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{script} failed:\n{done.stderr[-3000:]}")
    return [tuple(line.split("\t")) for line in done.stdout.splitlines() if line.count("\t") == 2]


def has(module):
    return PYTHON.exists() and subprocess.run([PYTHON, "-c", f"import {module}"], capture_output=True).returncode == 0


def version(module):
    return subprocess.run([PYTHON, "-c", f"import {module}; print({module}.__version__)"], capture_output=True,
                          text=True).stdout.strip()


def known_failures():
    known = {}
    for line in (SOURCES / "known.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, why = line.partition("  ")
            known[name] = why.strip()
    return known


def summary(results, versions):
    lines = ["| suite | passed | failed | known | not expressible |", "|---|---|---|---|---|"]
    for suite, rows in results.items():
        count = collections.Counter(r[1] for r in rows)
        lines.append(f"| {versions[suite]} | {count['passed']} | {count['failed']} | {count['known']} | "
                     f"{count['not expressible']} |")
    lines += ["", "| suite | not expressible | cases |", "|---|---|---|"]
    for suite, rows in results.items():
        reasons = collections.Counter(r[2] for r in rows if r[1] == "not expressible")
        lines += [f"| {suite} | {reason} | {n} |" for reason, n in reasons.most_common()]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="the part that takes half a minute on two cores")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--suites", nargs="*", choices=["onnx", "umath", "opinfo"], help="only these")
    args = parser.parse_args()
    suites = args.suites or (["onnx", "umath"] if args.quick else ["onnx", "umath", "opinfo"])
    packages = {"onnx": ["onnx", "numpy"], "umath": ["numpy"], "opinfo": ["torch", "expecttest", "numpy"]}
    modules = sorted({p for s in suites for p in packages[s]})
    subprocess.run([REPO / "scripts" / "setup_python.sh", *modules], check=True)
    left = [m for m in modules if not has(m)]
    for suite in list(suites):
        if any(p in left for p in packages[suite]):
            print(f"skipped: {suite}, which needs {', '.join(packages[suite])} from PyPI")
            suites.remove(suite)

    operators = [s for s in sorted((SOURCES / "onnx").glob("*.cpp")) if not (args.quick and s.stem in SLOW)]
    programs = {}
    if "onnx" in suites:
        programs["onnx"] = [SOURCES / "case.cpp", SOURCES / "onnx.cpp", *operators]
    if "umath" in suites:
        programs["umath"] = [SOURCES / "umath.cpp"]
    if "opinfo" in suites:
        programs["opinfo"] = [SOURCES / "case.cpp", SOURCES / "opinfo.cpp", *sorted((SOURCES / "opinfo").glob("*.cpp"))]
    build(programs, args.jobs)

    results, versions = {}, {}
    if "onnx" in suites:
        nodes, bodies = BUILD / "onnx.cases", BUILD / "onnx_bodies.cases"
        out = written("onnx_cases.py", nodes, bodies)
        results["onnx"] = rows_of("onnx", nodes) + [r for r in out if "_expanded" not in r[0]]
        versions["onnx"] = f"ONNX {version('onnx')}: node tests"
        if not args.quick:
            results["onnx bodies"] = rows_of("onnx", bodies) + [r for r in out if "_expanded" in r[0]]
            versions["onnx bodies"] = f"ONNX {version('onnx')}: composed operators' bodies"
    if "umath" in suites:
        data = Path(subprocess.run([PYTHON, "-c", "import numpy; print(numpy.__path__[0])"], capture_output=True,
                                   text=True).stdout.strip()) / "_core" / "tests" / "data"
        results["umath"] = rows_of("umath", *sorted(data.glob("umath-validation-set-*.csv")))
        versions["umath"] = f"NumPy {version('numpy')}: accuracy tables"
    if "opinfo" in suites:
        cases = BUILD / "opinfo.cases"
        out = written("opinfo_cases.py", cases)
        results["opinfo"] = rows_of("opinfo", cases) + out
        versions["opinfo"] = f"PyTorch {version('torch')}: OpInfo samples"

    known, bad = known_failures(), 0
    for suite, rows in results.items():
        if args.quick:  # what is not linked is not there
            rows = [r for r in rows if not r[2].startswith("operator ")]
        rows = results[suite] = [(n, "known" if r == "failed" and n in known else r, w) for n, r, w in rows]
        for name, result, why in rows:
            if result == "failed":
                print(f"{suite}: {name}: {why}")
                bad += 1
        passed = sum(r[1] == "passed" for r in rows)
        least = (LEAST_QUICK if args.quick else LEAST).get(suite, 0)
        if passed < least:
            print(f"{suite}: {passed} cases passed, at least {least} did before")
            bad += 1
    with open(BUILD / "results.tsv", "w") as file:
        for suite, rows in results.items():
            file.writelines("\t".join((suite, *row)) + "\n" for row in rows)
    (BUILD / "summary.md").write_text(summary(results, versions))
    print((BUILD / "summary.md").read_text() if not args.quick else
          "\n".join(summary(results, versions).splitlines()[:2 + len(results)]))
    print(f"conformance: {sum(r[1] == 'passed' for rows in results.values() for r in rows)} cases passed, {bad} failed; "
          "all of them are in build/conformance/results.tsv")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

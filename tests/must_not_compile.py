#!/usr/bin/env python3
"""Checks that the programs in must_not_compile/ fail to compile, and say why.

The first line of each is `// expect: <sentence>`. The sentence must be in the first error line, and
the compiler's whole output at most 12 lines long (source excerpts and carets, which g++ and clang++
can switch off, are not counted). Further comment lines may follow:
  // compilers: g++ clang++    only these (g++, clang++, nvcc; default: all)
  // cuda                      needs CUDA's headers
The programs in must_compile/ are the control: correct programs, close to the wrong ones.
"""
import argparse
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINES = 12
ERROR = re.compile(r"\berror( #[\w-]+)?:")


def family(compiler):
    name = Path(compiler).name
    return next(f for f in ("nvcc", "clang++", "g++") if f in name)


def command(compiler, source, args):
    include = ["-I", str(HERE.parent / "include")]
    if family(compiler) == "nvcc":
        # nvcc's front end reads host and device code alike in its pass for the device, so that a wrong
        # program needs no second pass and no host compiler; a correct one takes all of them.
        step = "-ptx" if "must_not_compile/" in source else "-c"
        return [compiler, "-std=c++20", "-arch=sm_90", "-x", "cu", step, "-o", "/dev/null", *include, source]
    cuda = [word for folder in (args.cuda_include or "").split(";") if folder
            for word in ("-isystem", folder)]
    terse = "-fno-caret-diagnostics" if family(compiler) == "clang++" else "-fno-diagnostics-show-caret"
    return [compiler, "-std=c++20", "-fsyntax-only", terse, *include, *cuda, source]


def directives(source):
    """The leading comment lines as {name: value}."""
    found = {}
    for line in source.read_text().splitlines():
        match = re.match(r"// (expect|compilers|cuda)\b:?\s*(.*)", line)
        if not match:
            break
        found[match[1]] = match[2].strip()
    return found


def check(source, args):
    """The complaint about one program, '' if there is none, None if it is not for this compiler."""
    said = directives(source)
    if family(args.compiler) not in said.get("compilers", "g++ clang++ nvcc").split():
        return None
    if "cuda" in said and family(args.compiler) != "nvcc" and not args.cuda_include:
        return None
    done = subprocess.run(command(args.compiler, str(source), args), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    shown = "".join(f"\n    {line}" for line in lines[:30])
    if source.parent.name == "must_compile":
        return "does not compile:" + shown if done.returncode else ""
    if "expect" not in said:
        return "its first line must be `// expect: <sentence>`"
    if done.returncode == 0:
        return "compiles, but must not"
    first = next((line for line in lines if ERROR.search(line)), "")
    if said["expect"] not in first:
        return f"the first error line lacks `{said['expect']}`:{shown}"
    if len(lines) > LINES:
        return f"{len(lines)} lines of output, {LINES} are allowed:{shown}"
    return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--cuda-include", help="where cuda_runtime.h is, for g++ and clang++; folders are separated by ;")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("names", nargs="*", help="only programs whose name contains one of these")
    args = parser.parse_args()

    sources = sorted([*HERE.glob("must_not_compile/*.cpp"), *HERE.glob("must_compile/*.cpp")])
    if args.names:
        sources = [s for s in sources if any(name in s.name for name in args.names)]
    with ThreadPoolExecutor(args.jobs) as pool:
        results = list(zip(sources, pool.map(lambda source: check(source, args), sources)))
    for source, complaint in results:
        if complaint:
            print(f"{source.parent.name}/{source.name}: {complaint}")
    skipped = sum(complaint is None for _, complaint in results)
    failed = sum(bool(complaint) for _, complaint in results)
    print(f"{args.compiler}: {len(results) - failed - skipped} as expected, {failed} not, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

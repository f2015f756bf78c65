#!/usr/bin/env python3
"""Counts how many of the mistakes in mistakes.txt a compiler answers with weft's rule.

An answer is good when the first error line has `weft: ` in it and the whole output is at most 12 lines
long (excerpts and carets not counted). Fails when a mistake has no good answer though mistakes.txt expects
one, or when it expects too few; --every 10 looks at about a tenth of them, marked ones aside.
"""
import argparse
import subprocess
import sys
import tempfile
import zlib
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from must_not_compile import ENOUGH, ERROR, HERE, LINES, command, family, precompile

LEAST = 0.9  # the share of mistakes.txt that a rule answers


def read(compiler):
    """The pairs (header, statement) of mistakes.txt, and the marked ones: no rule of weft's answers them."""
    mistakes, known = [], set()
    for line in (HERE / "mistakes.txt").read_text().splitlines():
        if line and line[0] != "#":
            where, statement = (part.strip() for part in line.split(" | ", 1))
            header, *mark = where.split(" !")
            mistakes.append((header, statement))
            if mark and family(compiler) in (mark[0].split() or [family(compiler)]):
                known.add(mistakes[-1])
    return mistakes, known


def program(header, statement):
    parameters = ("Tensor<float> x, Tensor<float> y, Tensor<double> d, Tensor<int64_t> i, Tensor<bool> b, "
                  "Tensor<complex<float>> c, Tensor<float, Cuda> g")
    if header != "weft.hpp":
        parameters += ", Var<float> v" if header in ("autograd.hpp", "nn.hpp") else ""
    return (f"#include <weft/{header}>\n#include <algorithm>\n#include <numeric>\n#include <string>\n#include <vector>\n\n"
            f"using namespace weft;\n\nvoid f({parameters}) {{\n  {statement}\n}}\n")


def precompiled(mistakes, folder, args):
    """{header: options} for headers of many mistakes, most of whose time goes into reading them."""
    counts = Counter(header for header, _ in mistakes)
    often = [header for header, count in counts.items() if count >= ENOUGH and family(args.compiler) != "nvcc"]
    options = {header: precompile(f"weft/{header}", folder, args) for header in often}
    return {header: words for header, words in options.items() if words}


def answer(mistake, args, headers):
    """Whether the compiler's answer is good, and its output."""
    options = headers.get(mistake[0], [])
    good, lines = ask(mistake, args, options)
    if not options or good and len(lines) <= LINES - 2:  # who includes the header is not said there
        return good, lines
    return ask(mistake, args, [])


def ask(mistake, args, options):
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "must_not_compile" / "mistake.cpp"  # where command() expects wrong programs
        source.parent.mkdir()
        source.write_text(program(*mistake))
        words = command(args.compiler, str(source), args)
        done = subprocess.run([words[0], *options, *words[1:]], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode == 0:
        return False, ["compiles"]
    first = next((line for line in lines if ERROR.search(line)), "")
    return "weft: " in first and len(lines) <= LINES, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--cuda-include", help="where cuda_runtime.h is, for g++ and clang++")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("words", nargs="*", help="only mistakes that contain one of these")
    args = parser.parse_args()

    mistakes, known = read(args.compiler)
    enough = len(mistakes) - len(known) >= LEAST * len(mistakes)
    if args.words:
        mistakes = [m for m in mistakes if any(word in m[1] for word in args.words)]
    if args.every > 1:  # chosen by what they say: a line more leaves the choice of the others as it is
        mistakes = [m for m in mistakes if m not in known and zlib.crc32(m[1].encode()) % args.every == 0]
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        headers = precompiled(mistakes, folder, args)
        answers = list(pool.map(lambda mistake: answer(mistake, args, headers), mistakes))
    good = sum(right for right, _ in answers)
    surprises = 0
    for mistake, (right, lines) in zip(mistakes, answers):
        surprises += right == (mistake in known)
        if right and mistake in known:
            print(f"{mistake[0]} | {mistake[1]}\n    answered: take its mark away")
        elif not right:
            errors = [line for line in lines if ERROR.search(line)] or lines
            print(f"{mistake[0]} | {mistake[1]}{' (marked)' * (mistake in known)}\n"
                  f"    {len(lines)} lines: {errors[0][:160]}")
    print(f"{args.compiler}: {good} of {len(mistakes)} mistakes answered by a rule in at most {LINES} lines, "
          f"{surprises} otherwise than mistakes.txt says" + (", which marks too many" if not enough else ""))
    return 0 if enough and not surprises else 1


if __name__ == "__main__":
    sys.exit(main())

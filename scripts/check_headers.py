#!/usr/bin/env python3
"""Checks each header of weft: its first lines, its length, its test, and that it compiles alone.

A header begins with one `// sentence.` that says what it gives, then the SPDX line, then
`#pragma once`; it is at most 300 lines long or says why not (`// Long because ...`), defines macros
only in core/config.hpp, the table.hpp of operations and reductions and the lists of weft::lib, has
inline assembly for GPUs only in core/ptx.hpp, and has its test in tests/ under the same path;
in a room (a sub-folder of a folder) another test of the room may include it instead. Headers under
cuda/ are compiled by nvcc too, and by g++ with CUDA's headers, where they are found. Umbrella headers
(directly in include/weft) need no test.

Several headers share a run of the compiler where each but the first includes the one before it, itself or
through others: all that a header finds read before it is then what it includes, as if it stood alone.
What does not compile so is compiled by itself.
"""
import argparse
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
INCLUDE = REPO / "include"
LINES = 300
MACROS = ("weft/core/config.hpp", "weft/ops/elementwise/table.hpp", "weft/ops/reduce/table.hpp", "weft/lib.hpp", "weft/cuda/lib.hpp",
          "weft/nn/lib.hpp", "weft/optim/lib.hpp", "weft/io/lib.hpp")
# The last two for CPUs.
ASSEMBLY = ("weft/core/ptx.hpp", "weft/cpu/threads/wait.hpp", "weft/cpu/elementwise/element_kernel.hpp")


def text_problems(header):
    lines = (INCLUDE / header).read_text().splitlines()
    top = lines[:3] + [""] * 3
    if not re.match(r"// \S.*[.:]$", top[0]):
        yield "line 1 must be one `// sentence.` that says what the header gives"
    if top[1] != "// SPDX-License-Identifier: Apache-2.0":
        yield "line 2 must be `// SPDX-License-Identifier: Apache-2.0`"
    if top[2] != "#pragma once":
        yield "line 3 must be `#pragma once`"
    if len(lines) > LINES and not any(line.startswith("// Long because ") for line in lines[:8]):
        yield f"{len(lines)} lines, {LINES} are allowed: one concept a header, or `// Long because ...` above it"
    if header not in MACROS:
        for number, line in enumerate(lines, 1):
            if re.match(r"\s*#\s*define\b", line):
                yield f"line {number} defines a macro, which belongs in core/config.hpp or a table.hpp"
    if header not in ASSEMBLY:
        for number, line in enumerate(lines, 1):
            if re.search(r"\basm\b", line.split("//")[0]):
                yield f"line {number} has inline assembly, which belongs in core/ptx.hpp"
    test = REPO / "tests" / Path(header).relative_to("weft").with_suffix(".cpp")
    if header.count("/") > 1 and not test.exists():
        beside = (t.read_text() for t in sorted(test.parent.glob("*.cpp")) if header.count("/") > 2)
        if not any(f"<{header}>" in text for text in beside):
            yield f"has no {test.relative_to(REPO)}, and no test of its room includes it"


def commands(header, nvcc, cuda_include):
    cuda = is_cuda(header)
    warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"]
    if not cuda or cuda_include:
        yield ["g++", "-std=c++20", "-fsyntax-only", *warnings, "-DWEFT_CHECK_MODELS", "-x", "c++", f"-I{INCLUDE}",
               *(["-isystem", cuda_include] if cuda else []), "-"]
    if cuda and nvcc: # to PTX: its front end reads host and device code, and g++ has seen the host's
        yield [nvcc, "-std=c++20", "-arch=sm_90", "-Xcompiler=-Wall,-Wextra", "-Werror=all-warnings", "-DWEFT_CHECK_MODELS",
               "-x", "cu", "-ptx", "-o", "/dev/null", f"-I{INCLUDE}", "-"]


def is_cuda(header):
    return header.startswith("weft/cuda/") or header.endswith("/cuda.hpp") or header == "weft/all.hpp"


def read_by(headers):
    """For each header all of weft that it reads, whatever macros are defined."""
    included = {}
    for header in headers:
        depth, included[header] = 0, []
        for line in (INCLUDE / header).read_text().splitlines():
            directive = re.match(r"\s*#\s*(if|endif|include)(?:.*[\"<](weft/.*?)[\">])?", line)
            if directive and directive[1] == "include":
                included[header] += [directive[2]] if depth == 0 and directive[2] else []
            elif directive:
                depth += 1 if directive[1] == "if" else -1
    read = {}

    def of(header):
        if header not in read:
            read[header] = set(included[header]).union(*map(of, included[header]))
        return read[header]
    return {header: of(header) for header in headers}


def chains(headers):
    """The headers as lists, as few as can be, in which each reads the one before it and has the same compilers."""
    read, above = read_by(headers), {}

    def put_below(header, tried):  # Kuhn's matching
        for lower in sorted(read[header] - tried):
            if is_cuda(lower) == is_cuda(header) and lower not in tried:
                tried.add(lower)
                if lower not in above or put_below(above[lower], tried):
                    above[lower] = header
                    return True
        return False

    for header in headers:
        put_below(header, set())
    below = {header: lower for lower, header in above.items()}
    for header in headers:
        if header not in above:
            chain = [header]
            while chain[-1] in below:
                chain.append(below[chain[-1]])
            yield chain[::-1]


def compile_problems(chain, nvcc, cuda_include):
    """The problems of each header of a chain."""
    text = "".join(f"#include <{header}>\n" for header in [*chain, *chain])
    found = {header: [] for header in chain}
    for command in commands(chain[-1], nvcc, cuda_include):
        done = subprocess.run(command, input=text, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode and len(chain) > 1:
            return {header: compile_problems([header], nvcc, cuda_include)[header] for header in chain}
        if done.returncode:
            shown = "".join(f"\n    {line}" for line in done.stdout.splitlines()[:12])
            found[chain[-1]].append(f"does not compile alone ({Path(command[0]).name}):{shown}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--no-compile", action="store_true", help="only look at the text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("headers", nargs="*", help="only these, as in core/shape.hpp")
    args = parser.parse_args()

    nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
    cuda_include = str(Path(nvcc).parent.parent / "include") if nvcc else None
    headers = [p.relative_to(INCLUDE).as_posix() for p in sorted((INCLUDE / "weft").rglob("*.hpp"))]
    together = list(chains(headers))
    if args.headers:
        headers = [h for h in headers if h.removeprefix("weft/") in args.headers]
        together = [[header] for header in headers]
    together = [] if args.no_compile else together

    problems = {header: list(text_problems(header)) for header in headers}
    with ThreadPoolExecutor(args.jobs) as pool:
        for found in pool.map(lambda chain: compile_problems(chain, nvcc, cuda_include), together):
            for header in found:
                problems[header] += found[header]
    for header in headers:
        for problem in problems[header]:
            print(f"{header}: {problem}")
    total = sum(map(len, problems.values()))
    print(f"headers: {len(headers)}, compiled in {len(together)} files, {total} problems" + ("" if nvcc else "; no nvcc: cuda/ not compiled"))
    return 1 if total else 0


if __name__ == "__main__":
    sys.exit(main())

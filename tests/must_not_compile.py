#!/usr/bin/env python3
"""Checks that the programs in must_not_compile/ fail to compile, and say why.

The first line of each is `// expect: <sentence>`. The sentence must be in the first error line, and
the compiler's whole output at most 12 lines long (source excerpts and carets, which g++ and clang++
can switch off, are not counted). Further comment lines may follow:
  // compilers: g++ clang++    only these (g++, clang++, nvcc; default: all)
  // cuda                      needs CUDA's headers
The programs in must_compile/ are the control: correct programs, close to the wrong ones.

Most of the time goes into reading weft's headers, which is therefore done once for many programs: by a
precompiled header for g++ and clang++; by nvcc, which has none, with several programs in one file, each in
a namespace of its own. Whatever is not as expected there is compiled by itself, and that is what counts.
Programs with headers that no other has share a file too, after all headers of theirs: that each says what
it should after its own alone is seen by g++ and clang++, so that programs for nvcc alone are left out.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINES = 12
ERROR = re.compile(r"\berror( #[\w-]+)?:")
BATCH = 12   # programs that nvcc reads in one file
ENOUGH = 8   # programs that begin with a header, for it to be worth precompiling


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


def includes(source):
    return re.findall(r"^#include .*", source.read_text(), re.M)


def output_of(command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, [line for line in done.stdout.splitlines() if line.strip()]


def precompile(header, folder, args):
    """Options by which a program whose first line is `#include <header>` need not read it."""
    words = command(args.compiler, "", args)[:-1]
    words.remove("-fsyntax-only")
    gxx = family(args.compiler) == "g++"
    target = Path(folder) / (f"{header}.gch" if gxx else f"{header}.pch")
    target.parent.mkdir(parents=True, exist_ok=True)
    source = HERE.parent / "include" / header
    if gxx: # which tells a header from a main file by nothing but `#pragma once`
        words.append("-w")
    code, _ = output_of([*words, "-x", "c++-header", str(source), "-o", str(target)])
    return None if code else ["-I", str(folder)] if gxx else ["-include-pch", str(target)]


def precompiled(sources, folder, args):
    """{first include: options} for what many of the programs begin with."""
    if family(args.compiler) == "nvcc":
        return {}
    firsts = Counter(line for source in sources for line in includes(source)[:1])
    headers = {line: line[len("#include <"):-1] for line, count in firsts.items()
               if count >= ENOUGH and line.startswith("#include <weft/")}
    with ThreadPoolExecutor(args.jobs) as pool:
        options = list(pool.map(lambda header: precompile(header, folder, args), headers.values()))
    return {line: words for line, words in zip(headers, options) if words}


def compile_batch(batch, folder, args):
    """What the compiler makes of programs in one file, each in a namespace, after all that they include."""
    text = "\n".join(dict.fromkeys(line for source in batch for line in includes(source))) + "\n"
    text += "".join(f'namespace p{i} {{\n#include "{source}"\n}}\n' for i, source in enumerate(batch))
    path = Path(folder) / batch[0].parent.name / f"{batch[0].stem}.cpp"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    return output_of(command(args.compiler, str(path), args))


def check_batch(batch, folder, args):
    """The programs of a batch that fail as they should; nvcc names the program in whatever it says of it."""
    _, lines = compile_batch(batch, folder, args)
    messages = []
    for line in lines:
        if re.match(r"\S.*\(\d+\): ", line) or not messages:
            messages.append([])
        messages[-1].append(line)
    if messages and re.match(r"\d+ errors? detected", messages[-1][-1]):
        messages[-1].pop()
    said, shared, of_nobody = defaultdict(list), set(), False
    for message in messages:
        named = [source for source in batch if any(str(source) in line for line in message)]
        of_nobody |= not named
        shared.update(named if len(named) > 1 else [])
        for source in named:
            said[source] += message
    right = [source for source in batch if source in said and source not in shared
             and not complaint(source, 1, said[source] + ["1 error"])]
    if not of_nobody:
        return right
    # A long chain of instantiations is cut short, and could be anybody's: without those that it is likely to be of.
    return check_batch(right, folder, args) if 1 < len(right) < len(batch) else []


def in_batches(sources):
    return [sources[i:i + BATCH] for i in range(0, len(sources), BATCH)]


def check_batches(sources, folder, args):
    """The programs for which a compilation together with others has shown what it should."""
    if family(args.compiler) != "nvcc":
        return set()
    sources = [source for source in sources if "nvcc" in directives(source).get("compilers", "nvcc")]
    correct = [source for source in sources if source.parent.name == "must_compile"]
    groups = defaultdict(list)
    for source in sources:
        if source not in correct:
            groups[tuple(includes(source))].append(source)
    batches = [batch for group in groups.values() for batch in in_batches(group)]
    # The more headers, the later: neighbours have most in common.
    alone = sorted((batch[0] for batch in batches if len(batch) == 1),
                   key=lambda source: (len(includes(source)), includes(source)))
    batches += in_batches([source for source in alone if "compilers" not in directives(source)])
    with ThreadPoolExecutor(args.jobs) as pool:
        compiled = pool.submit(compile_batch, correct, folder, args) if correct else None
        right = list(pool.map(lambda batch: check_batch(batch, folder, args), (b for b in batches if len(b) > 1)))
        if compiled and compiled.result()[0] == 0:
            right.append(correct)
    return {source for found in right for source in found}


def complaint(source, code, lines):
    """What is wrong about the compiler's answer to a program, '' if nothing is."""
    said = directives(source)
    shown = "".join(f"\n    {line}" for line in lines[:30])
    if source.parent.name == "must_compile":
        return "does not compile:" + shown if code else ""
    if "expect" not in said:
        return "its first line must be `// expect: <sentence>`"
    if code == 0:
        return "compiles, but must not"
    first = next((line for line in lines if ERROR.search(line)), "")
    if said["expect"] not in first:
        return f"the first error line lacks `{said['expect']}`:{shown}"
    if len(lines) > LINES:
        return f"{len(lines)} lines of output, {LINES} are allowed:{shown}"
    return ""


def check(source, args, headers):
    """The complaint about one program, '' if there is none, None if it is not for this compiler."""
    said = directives(source)
    if family(args.compiler) not in said.get("compilers", "g++ clang++ nvcc").split():
        return None
    if "cuda" in said and family(args.compiler) != "nvcc" and not args.cuda_include:
        return None
    words = command(args.compiler, str(source), args)
    options = headers.get(next(iter(includes(source)), ""))
    if options:
        code, lines = output_of([words[0], *options, *words[1:]])
        # Who includes the header is not said then: up to two lines less.
        if len(lines) <= LINES - 2 and not complaint(source, code, lines):
            return ""
    return complaint(source, *output_of(words))


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
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        headers = precompiled(sources, folder, args)
        together = check_batches(sources, folder, args)
        results = list(zip(sources, pool.map(
            lambda source: "" if source in together else check(source, args, headers), sources)))
    for source, wrong in results:
        if wrong:
            print(f"{source.parent.name}/{source.name}: {wrong}")
    skipped = sum(wrong is None for _, wrong in results)
    failed = sum(bool(wrong) for _, wrong in results)
    if together:
        print(f"{len(together)} of them together with others")
    print(f"{args.compiler}: {len(results) - failed - skipped} as expected, {failed} not, {skipped} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

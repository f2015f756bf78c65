#!/usr/bin/env python3
"""Compiles and runs the programs in README.md and docs/, and compares what they print.

A fence of language cpp says by its further words what the block is:
    cpp          statements; those of a page become functions of one program, in order
    cpp global   declarations at namespace scope, seen by all statements of the page
    cpp program  a program of its own
    cpp error    statements that must not compile; a text block holds the rule in the first error line
    cpp quote    lines that stand, whatever their indentation, in a source file of the repository
`cuda` as a further word: nvcc compiles it, and it runs where there is a GPU. What a block prints is
the ```text block that follows it, or nothing; --fix writes it there. After a comment
`<!-- cells: declarations -->` each piece of code in the last column of the page's tables becomes a
statement of its own, compiled with these declarations (`<!-- cells cuda: ...`). Statements see weft/weft.hpp (cuda: weft/all.hpp), a few
standard headers and `using namespace weft`.
"""
import argparse
import itertools
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
PAGES = [REPO / "README.md", *sorted((REPO / "docs").rglob("*.md"))]
WORDS = {"global", "program", "error", "quote", "cuda"}
SOURCES = ["examples", "tests", "include", "bench"]
HEADERS = ["array", "climits", "cmath", "cstdio", "iostream", "limits", "string", "thread", "vector"]
MARK = "@@block "
FIRST = '#include "first.hpp"\n'  # first_of(False), precompiled


class Block:
    def __init__(self, page, line, words, text):
        self.page, self.line, self.words, self.text = page, line, words, text
        self.output, self.span = "", None  # the text block's content, and its lines in the page
        self.got = None                    # what was printed, where it differs
        self.cuda = "cuda" in words

    def where(self):
        return f"{self.page.relative_to(REPO)}:{self.line}"

    def source(self):
        return f'#line {self.line + 1} "{self.page.relative_to(REPO)}"\n{self.text}'


def blocks_of(page):
    """The page's cpp blocks, each with the text block that follows it."""
    blocks, last, declarations, cuda, lines = [], None, None, set(), page.read_text().splitlines(keepends=True)
    i = 0
    while i < len(lines):
        fence = re.match(r"( *)```(\w+)([ \w]*)\n", lines[i])
        cells = re.match(r"<!-- cells( cuda)?: *(.*?) *-->", lines[i])
        if cells:
            declarations, cuda = cells[2], {"cuda"} if cells[1] else set()
        elif declarations is not None and lines[i].startswith("|"):
            blocks += [Block(page, i + 1, {"cell"} | cuda, f"{declarations} {code.rstrip(';')};\n")
                       for code in re.findall(r"`([^`]+)`", split_row(lines[i])[-1])]
        if not fence:
            last = last if not lines[i].strip() else None
            i += 1
            continue
        begin, indent = i, len(fence[1])
        i += 1
        while lines[i].strip() != "```":
            i += 1
        text = "".join(line[indent:] if line.strip() else "\n" for line in lines[begin + 1:i])
        i += 1
        if fence[2] == "cpp":
            words = set(fence[3].split())
            if words - WORDS:
                sys.exit(f"{page}:{begin + 1}: what is {words - WORDS}?")
            last = Block(page, begin + 1, words, text)
            blocks.append(last)
        elif fence[2] == "text" and last:
            last.output, last.span = text, (begin + 1, i - 1)
    return blocks


def split_row(line):
    """The cells of a table's row."""
    return [cell.replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def includes_of(blocks):
    return re.findall(r"^#include.*\n", "".join(b.text for b in blocks), re.M)


def first_of(cuda):
    """What every program of statements begins with."""
    text = f"#include <weft/{'all' if cuda else 'weft'}.hpp>\n#include <weft/io.hpp>\n"
    return text + "".join(f"#include <{h}>\n" for h in HEADERS)


def program_of(parts, cuda):
    """A program of the statements of one page or several, each a namespace after all their headers."""
    text = FIRST if not cuda else first_of(cuda)
    text += "".join(dict.fromkeys(line for globals_, _ in parts for line in includes_of(globals_)))
    calls = ""
    for i, (globals_, statements) in enumerate(parts):
        text += f"namespace page{i} {{\n" if len(parts) > 1 else ""
        text += "using namespace weft;\n"
        text += "".join(re.sub(r"^#include.*", "", b.source(), flags=re.M) for b in globals_)
        for n, b in enumerate(statements):
            name = f"cell{n}" if "cell" in b.words else f"block{b.line}"
            text += f"[[maybe_unused]] static void {name}() {{\n{b.source()}}}\n"
            if "cell" not in b.words:
                calls += f'  std::cout << "{MARK}{i}:{b.line}\\n" << std::flush;\n'
                calls += f"  {f'page{i}::' if len(parts) > 1 else ''}{name}();\n"
        text += "}\n" if len(parts) > 1 else ""
    return f"{text}int main() {{\n{calls}}}\n"


class Tools:
    def __init__(self, folder, compiler, gpu):
        self.folder, self.compiler, self.gpu = Path(folder), compiler, gpu
        self.nvcc = shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc")
        self.unlinked = ["-rdc=true", "--generate-code=arch=compute_90,code=[lto_90]", "-c", "-Xcompiler=-fsyntax-only"]
        self.numbers = itertools.count()
        self.options = ["-std=c++20", "-w", f"-I{REPO / 'include'}", "-pthread"]
        first = self.folder / "first.hpp"
        first.write_text(first_of(False))
        clang = "clang" in Path(compiler).name  # which looks for no .gch unasked
        precompiled = f"{first}.{'pch' if clang else 'gch'}"
        subprocess.run([compiler, *self.options, "-x", "c++-header", str(first), "-o", precompiled])
        self.precompiled = ["-include-pch", precompiled] if clang else []

    def compile(self, text, cuda, only_check=False):
        """The program's path and the compiler's messages."""
        path = self.folder / f"p{next(self.numbers)}{'.cu' if cuda else '.cpp'}"
        path.write_text(text)
        command = [self.compiler, *self.options, *(self.precompiled if text.startswith(FIRST) else [])]
        if cuda:
            # To PTX what must not compile; without a GPU nothing is run, so nothing is optimised and linked.
            target = (["-arch=sm_90", "-ptx"] if only_check else
                      ["-arch=native"] if self.gpu else self.unlinked)
            command = [self.nvcc, "-std=c++20", "-w", *target, f"-I{REPO / 'include'}"]
            command += ["-lcufft"] * ("fft.hpp" in text)
            command += ["-lcublasLt"] * bool(re.search(r"\b(matmul|linear|einsum)\(", text))
        command += ["-fsyntax-only"] if only_check and not cuda else ["-o", str(path.with_suffix(""))]
        result = subprocess.run([*command, str(path), "-lz"], capture_output=True, text=True)
        return path.with_suffix(""), result.returncode, result.stdout + result.stderr


def run(program):
    # explain names the threads; what is tuned on this machine is not used, nor what a page tunes remembered.
    one = {**os.environ, "WEFT_NUM_THREADS": "1", "WEFT_TUNE_FILE": ""}
    result = subprocess.run([str(program)], capture_output=True, text=True, timeout=300, env=one)
    return result.returncode, result.stdout, result.stderr


def differs(block, got):
    if got.rstrip() == block.output.rstrip():
        return []
    block.got = got
    return [f"{block.where()}: prints\n{got.rstrip()}\n  and the page says\n{block.output.rstrip()}"]


def check_statements(tools, parts, cuda):
    """The problems of [(global blocks, statements)], a pair for each page."""
    pages = ", ".join(str(statements[0].page.relative_to(REPO)) for _, statements in parts)
    program, code, messages = tools.compile(program_of(parts, cuda), cuda)
    if code and len(parts) > 1:  # which page it is
        return [p for part in parts for p in check_statements(tools, [part], cuda)]
    if code:
        return [f"{pages}: does not compile\n{messages}"]
    if cuda and not tools.gpu:
        return []
    code, out, err = run(program)
    printed = dict(re.findall(rf"^{MARK}(\d+:\d+)\n(.*?)(?=^{MARK}|\Z)", out, re.M | re.S))
    problems = [p for i, (_, statements) in enumerate(parts) for b in statements if "cell" not in b.words
                for p in differs(b, printed.get(f"{i}:{b.line}", "(did not run)"))]
    if code:
        problems.append(f"{pages}: exit code {code}\n{err}")
    return problems


def check_program(tools, block):
    program, code, messages = tools.compile(block.text, block.cuda)
    if code:
        return [f"{block.where()}: does not compile\n{messages}"]
    if block.cuda and not tools.gpu:
        return []
    code, out, err = run(program)
    return differs(block, out) + ([f"{block.where()}: exit code {code}\n{err}"] if code else [])


def check_error(tools, globals_, block):
    _, code, messages = tools.compile(program_of([(globals_, [block])], block.cuda), block.cuda, True)
    first = next((line for line in messages.splitlines() if "error" in line), "")
    rule = " ".join(block.output.split())
    if code == 0:
        return [f"{block.where()}: compiles, and should not"]
    if not rule or rule not in first:
        block.got = first[first.find("weft: "):]
    return [] if not block.got else [f"{block.where()}: the first error is\n{first}\nnot\n{rule}"]


def check_quote(block):
    def flat(text):
        return [line.strip() for line in text.splitlines() if line.strip()]
    wanted = flat(block.text)
    for folder in SOURCES:
        for path in (REPO / folder).rglob("*.[ch]*"):
            lines = flat(path.read_text(errors="replace"))
            if any(lines[i:i + len(wanted)] == wanted for i in range(len(lines))):
                return []
    return [f"{block.where()}: is in no file under {', '.join(SOURCES)}"]


def fix(page, blocks):
    """Writes what the blocks printed into their text blocks."""
    lines = page.read_text().splitlines(keepends=True)
    for b in sorted((b for b in blocks if b.got and b.span), key=lambda b: -b.line):
        lines[slice(*b.span)] = [b.got.rstrip() + "\n"]
    page.write_text("".join(lines))


def links_of(page):
    """Relative links whose target is missing."""
    prose = re.sub(r"^ *```.*?^ *```$|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", prose):
        if not re.match(r"\w+:", target) and not (page.parent / target).exists():
            yield f"{page.relative_to(REPO)}: links to {target}, which does not exist"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--no-cuda", action="store_true", help="leave out the blocks for CUDA")
    parser.add_argument("--fix", action="store_true", help="write what is printed into the pages")
    parser.add_argument("pages", nargs="*", type=Path, help="only these")
    args = parser.parse_args()
    pages = [p.resolve() for p in args.pages] or PAGES
    gpu = subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0 \
        if shutil.which("nvidia-smi") else False

    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(args.jobs) as pool:
        tools = Tools(folder, args.compiler, gpu)
        jobs, count, skipped, found, together = [], 0, 0, {}, {}
        for page in pages:
            blocks = found[page] = blocks_of(page)
            count += len(blocks)
            jobs.append(pool.submit(lambda p=page: list(links_of(p))))
            quotes = [b for b in blocks if "quote" in b.words]
            jobs += [pool.submit(check_quote, b) for b in quotes]
            blocks = [b for b in blocks if b not in quotes]
            if args.no_cuda or not tools.nvcc:
                skipped += sum(b.cuda for b in blocks)
                blocks = [b for b in blocks if not b.cuda]
            for cuda in (False, True):
                mine = [b for b in blocks if b.cuda == cuda]
                globals_ = [b for b in blocks if "global" in b.words and (cuda or not b.cuda)]
                for b in mine:
                    if "program" in b.words:
                        jobs.append(pool.submit(check_program, tools, b))
                    if "error" in b.words:
                        jobs.append(pool.submit(check_error, tools, globals_, b))
                statements = [b for b in mine if not b.words - {"cuda", "cell"}]
                if statements:
                    # Pages with the same headers are one program, which reads them once; weft/all.hpp has all.
                    text = "".join(b.text for b in globals_)
                    alone = page if re.search(r"^(namespace weft|WEFT_|#define)", text, re.M) else ""
                    headers = "" if cuda else "".join(sorted(set(includes_of(globals_))))
                    together.setdefault((cuda, alone, headers), []).append((globals_, statements))
        jobs += [pool.submit(check_statements, tools, parts[i:i + 8], cuda)
                 for (cuda, *_), parts in sorted(together.items(), key=lambda item: not item[0][0]) # nvcc's first
                 for i in range(0, len(parts), 8)]
        problems = [problem for job in jobs for problem in job.result()]
        if args.fix:
            for page, blocks in found.items():
                fix(page, blocks)
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"docs: {len(pages)} pages, {count} blocks, {len(problems)} problems" +
          (f"; {skipped} blocks for CUDA skipped, no nvcc" if skipped else
           "" if gpu else "; no GPU: blocks for CUDA compiled, not run"))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

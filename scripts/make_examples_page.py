#!/usr/bin/env python3
"""Writes examples/README.md: for each example its first sentence and what it prints on the CPU.

make_examples_page.py [FOLDER WITH THE PROGRAMS], default build/release/bin.
"""
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
HEAD = """# Examples

A ladder, one idea more each. Every program checks its own result (`ok: ...`), and `make test` runs all of them;
`build/release/bin/01_hello`, and with nvcc `build/release/bin/01_hello_cuda --device cuda`. What follows is what they
print on the CPU; times, rates and paths are those of one machine, and long parts are left out (`...`). It was written by
`scripts/make_examples_page.py`.
"""
TAIL = """## From Python

[python](python/README.md): a module whose functions take and return arrays of NumPy, PyTorch, JAX and CuPy.
"""
MOST, FIRST, LAST = 26, 12, 10  # lines of a program that are shown


def main():
    programs = Path(sys.argv[1]) if len(sys.argv) > 1 else REPO / "build" / "release" / "bin"
    page = [HEAD]
    for source in sorted((REPO / "examples").glob("*.cpp")):
        sentence = source.read_text().splitlines()[0].removeprefix("//").strip()
        done = subprocess.run([programs / source.stem], cwd=REPO, capture_output=True, text=True, timeout=300)
        if done.returncode not in (0, 77):
            sys.exit(f"{source.stem}: exit code {done.returncode}\n{done.stderr}")
        lines = [line.rstrip().replace(str(programs) + "/", "") for line in done.stdout.rstrip().splitlines()]
        if len(lines) > MOST:
            lines = lines[:FIRST] + ["..."] + lines[-LAST:]
        page.append(f"## [{source.stem}]({source.name})\n\n{sentence}\n\n```text\n" + "\n".join(lines) + "\n```\n")
    (REPO / "examples" / "README.md").write_text("\n".join([*page, TAIL]))


if __name__ == "__main__":
    main()

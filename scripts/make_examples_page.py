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

14_train, 16_characters, 17_convolution, 19_languages and 20_gpt leave a checkpoint after each epoch (16 and 20: each 100
and 50 steps): network, optimizer, schedule, epoch and where random numbers stand
(`checkpoint.hpp`). With `--resume` they go on from it, and print the digits of a run that was never
interrupted; `--stop 3` ends a run after epoch 3, to try that.
"""
TAIL = """## From Python

[python](python/README.md): a module whose functions take and return arrays of NumPy, PyTorch, JAX and CuPy.
"""
MOST, FIRST, LAST = 26, 12, 10  # lines of a program that are shown
LIMIT = 120  # seconds that one may take


def main():
    programs = Path(sys.argv[1]) if len(sys.argv) > 1 else REPO / "build" / "release" / "bin"
    page = [HEAD]
    for source in sorted((REPO / "examples").glob("*.cpp")):
        sentence = source.read_text().splitlines()[0].removeprefix("//").strip()
        try:
            done = subprocess.run([programs / source.stem], cwd=REPO, capture_output=True, text=True, timeout=LIMIT)
        except (FileNotFoundError, subprocess.TimeoutExpired):
            page.append(f"## [{source.stem}]({source.name})\n\n{sentence}\n")  # without its output
            continue
        if done.returncode not in (0, 77):
            sys.exit(f"{source.stem}: exit code {done.returncode}\n{done.stderr}")
        lines = [line.rstrip().replace(str(programs) + "/", "") for line in done.stdout.rstrip().splitlines()]
        if len(lines) > MOST:
            lines = lines[:FIRST] + ["..."] + lines[-LAST:]
        page.append(f"## [{source.stem}]({source.name})\n\n{sentence}\n\n```text\n" + "\n".join(lines) + "\n```\n")
    page.append("## Gallery\n\nPrograms as one writes them, each of which checks itself.\n\n| | |\n|---|---|")
    for source in sorted((REPO / "examples" / "gallery").glob("*.cpp")):
        sentence = source.read_text().splitlines()[0].removeprefix("//").strip()
        page[-1] += f"\n| [{source.stem}](gallery/{source.name}) | {sentence} |"
    page[-1] += "\n"
    (REPO / "examples" / "README.md").write_text("\n".join([*page, TAIL]))


if __name__ == "__main__":
    main()

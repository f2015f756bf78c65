#!/usr/bin/env python3
"""Checks the arrows between weft's folders: includes point left and up only.

core <- tensor <- ops <- eval <- {cpu, cuda} <- autograd <- nn <- {optim, data, io, track, dist}
cpu and cuda never include each other and hold the same core files; umbrella headers, which lie
directly in include/weft, may include anything and are included by nothing but umbrellas; no cycles;
and nothing that weft/weft.hpp reaches is CUDA's.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "include" / "weft"
LEVELS = [["core"], ["tensor"], ["ops"], ["eval"], ["cpu", "cuda"], ["autograd"], ["nn"],
          ["optim", "data", "io", "track", "dist"]]
LEVEL = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
PAIRS = ["device.hpp", "memory.hpp", "for_each.hpp", "reduce.hpp"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder(header):
    return header.split("/")[0] if "/" in header else None


def main():
    problems, includes = [], {}
    for path in sorted(ROOT.rglob("*.hpp")):
        here = path.relative_to(ROOT).as_posix()
        includes[here] = []
        if folder(here) and folder(here) not in LEVEL:
            problems.append(f"{here}: the folder is not in the list of levels in {Path(__file__).name}")
            continue
        for quote, name in INCLUDE.findall(path.read_text()):
            if quote == '"' and not name.startswith("weft/"):
                problems.append(f'{here}: write "weft/..." instead of "{name}"')
            if not name.startswith("weft/"):
                continue
            there = name.removeprefix("weft/")
            includes[here].append(there)
            if not (ROOT / there).exists():
                problems.append(f"{here}: includes {name}, which does not exist")
            elif folder(here) and not folder(there):
                problems.append(f"{here}: includes the umbrella {name}")
            elif folder(here) and LEVEL.get(folder(there), 0) > LEVEL[folder(here)]:
                problems.append(f"{here}: includes {name}, which is further right")
            elif {folder(here), folder(there)} == {"cpu", "cuda"}:
                problems.append(f"{here}: includes {name}; cpu and cuda do not know each other")

    done, path = set(), []

    def visit(header):
        if header in path:
            problems.append("cycle: " + " -> ".join([*path[path.index(header):], header]))
        elif header not in done:
            path.append(header)
            for there in includes.get(header, []):
                visit(there)
            path.pop()
            done.add(header)

    if "weft.hpp" in includes:
        visit("weft.hpp")
        problems += [f"weft.hpp reaches {h}: it must not need CUDA" for h in sorted(done)
                     if folder(h) == "cuda" or h in ("cuda.hpp", "all.hpp")]
    for header in includes:
        visit(header)
    for name in PAIRS:
        sides = [f"{side}/{name}" for side in ("cpu", "cuda")]
        missing = [side for side in sides if side not in includes]
        if len(missing) == 1:
            problems.append(f"{missing[0]}: missing, though the other device has it")

    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"arrows: {len(includes)} headers, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks the arrows between weft's folders: includes point left and up only.

core <- tensor <- ops <- eval <- {cpu, cuda} <- autograd <- nn <- {optim, data, io, track, dist}
cpu and cuda never include each other and hold the same core files; umbrella headers, which lie
directly in include/weft, may include anything and are included by nothing but umbrellas; no cycles,
neither of headers nor of rooms (the sub-folders of a folder); and nothing that weft/weft.hpp reaches
is CUDA's. The functions in PATHS, tables of the stops of a statement, stand in the files they name.
"""
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "include" / "weft"
LEVELS = [["core"], ["tensor"], ["ops"], ["eval"], ["cpu", "cuda"], ["autograd"], ["nn"],
          ["optim", "data", "io", "track", "dist"]]
LEVEL = {folder: level for level, folders in enumerate(LEVELS) for folder in folders}
PAIRS = ["device.hpp", "memory.hpp", "reduce.hpp", "matmul.hpp", "attention.hpp", "gradient.hpp",
         "elementwise/for_each.hpp", "elementwise/scatter.hpp", "rows/rows.hpp", "inspect/explain.hpp"]
PATHS = ["docs/07_architecture.md", "docs/notes/paths.md"]
STOP = re.compile(r"^\| (\d+) \| (`.*?) \| `(\S+)` \|", re.M)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def folder(header):
    return header.split("/")[0] if "/" in header else None


def room(header):
    """The sub-folder that a header lies in; a header at a folder's root is a room of its own."""
    return header.rpartition("/")[0] if header.count("/") > 1 else header


def cycles(arrows):
    """The cycles of a graph that a depth-first walk meets."""
    done, path = set(), []

    def visit(node):
        if node in path:
            yield [*path[path.index(node):], node]
        elif node not in done:
            path.append(node)
            for there in sorted(arrows.get(node, ())):
                yield from visit(there)
            path.pop()
            done.add(node)

    for node in arrows:
        yield from visit(node)


def reached(arrows, start):
    found, rest = set(), [start]
    while rest:
        node = rest.pop()
        if node not in found:
            found.add(node)
            rest += arrows.get(node, ())
    return found


def lost_stops(page):
    """The stops on a page whose function its file does not name."""
    for number, functions, header in STOP.findall((ROOT.parent.parent / page).read_text()):
        path = ROOT / header
        text = path.read_text() if path.exists() else ""
        for function in re.findall(r"`(.*?)`", functions):
            name = re.sub(r"<.*?>", "", function).split("::")[-1]
            if not re.search(rf"\b{re.escape(name)}(?!\w)", text):
                yield f"{page}: stop {number}, {function}, is not in {header}"


def main():
    problems, includes = [], {}
    for path in sorted(ROOT.rglob("*.hpp")):
        here = path.relative_to(ROOT).as_posix()
        includes[here] = []
        if folder(here) and folder(here) not in LEVEL:
            problems.append(f"{here}: the folder is not in the list of levels in {Path(__file__).name}")
            continue
        for quote, name in INCLUDE.findall(path.read_text()):
            if quote == '"' and not name.startswith("weft"):
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

    problems += ["cycle: " + " -> ".join(cycle) for cycle in cycles(includes)]
    rooms = {}
    for header, there in includes.items():
        rooms.setdefault(room(header), set()).update(room(h) for h in there if room(h) != room(header))
    problems += ["cycle of rooms: " + " -> ".join(cycle) for cycle in cycles(rooms)]
    problems += [f"weft.hpp reaches {h}: it must not need CUDA" for h in sorted(reached(includes, "weft.hpp"))
                 if folder(h) == "cuda" or h in ("cuda.hpp", "all.hpp")]
    problems += [problem for page in PATHS for problem in lost_stops(page)]
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

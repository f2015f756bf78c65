#!/usr/bin/env python3
"""Writes weft as one header, for Compiler Explorer and the like: weft-single.hpp, or what -o says.

make_single_header.py [HEADER...]: the umbrellas that go in, all for the CPU unless said. For nvcc add
weft/cuda.hpp and what else of weft/cuda/ is wanted.
"""
import argparse
import re
import subprocess
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
INCLUDE = REPO / "include"
ALL = ["weft/weft.hpp", "weft/arrays.hpp", "weft/explain.hpp", "weft/autograd.hpp", "weft/nn.hpp", "weft/optim.hpp", "weft/data.hpp",
       "weft/io.hpp", "weft/track.hpp"]


def single(headers):
    out, systems = [], set()
    cuda = any(h.startswith("weft/cuda") or h == "weft/all.hpp" for h in headers)
    # What is there already: everywhere, and within each of the conditions that surround the place.
    known = [set()]

    def add(header):
        if any(header in seen for seen in known) or (header.startswith("weft/cuda") and not cuda):
            return
        known[-1].add(header)
        guard = "WEFT_SINGLE_" + re.sub(r"\W", "_", header.removeprefix("weft/").removesuffix(".hpp")).upper()
        out.extend([f"#ifndef {guard}", f"#define {guard}"])
        for line in (INCLUDE / header).read_text().splitlines():
            directive = re.match(r"\s*#\s*(\w+)\s*(.*)", line)
            word = directive[1] if directive else ""
            ours = re.match(r'["<](weft/[^">]+)[">]', directive[2]) if word == "include" else None
            theirs = re.match(r"<([^>]+)>", directive[2]) if word == "include" else None
            if word in ("else", "elif", "endif"):
                known.pop()
            if word in ("if", "ifdef", "ifndef", "else", "elif"):
                known.append(set())
            if ours:
                add(ours[1])
            elif theirs and len(known) == 1:
                if theirs[1] not in systems:
                    systems.add(theirs[1])
                    out.append(line)
            elif word != "pragma" or "once" not in line:
                if not line.startswith("// SPDX") and line.strip():
                    out.append(line)
        out.append("#endif")

    for header in headers:
        add(header)
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("-o", "--output", type=Path, default=Path("weft-single.hpp"))
    parser.add_argument("headers", nargs="*", default=ALL)
    args = parser.parse_args()
    version = re.search(r"VERSION (\S+)", (REPO / "CMakeLists.txt").read_text().split("project(")[1])[1]
    commit = subprocess.run(["git", "-C", REPO, "describe", "--always", "--dirty"], capture_output=True, text=True)
    lines = [f"// weft {version} ({commit.stdout.strip() or 'no commit'}) in one header, made by scripts/make_single_header.py.",
             "// SPDX-License-Identifier: Apache-2.0", "#pragma once", *single(args.headers)]
    args.output.write_text("\n".join(lines) + "\n")
    print(f"{args.output}: {len(args.headers)} umbrellas, {len(lines)} lines, {args.output.stat().st_size // 1024} KiB")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles and runs programs against weft as one header, or as pkg-config finds an installed one."""
import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent

parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--compiler", default="g++")
parser.add_argument("--pkg-config")
parser.add_argument("--prefix")
args = parser.parse_args()


def run(command, **more):
    done = subprocess.run([str(c) for c in command], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    if args.pkg_config:
        environment = {**os.environ, "PKG_CONFIG_PATH": f"{args.prefix}/share/pkgconfig"}
        flags = run([args.pkg_config, "--cflags", "--libs", "weft"], env=environment).split()
        version = run([args.pkg_config, "--modversion", "weft"], env=environment).strip()
        assert re.fullmatch(r"\d+\.\d+\.\d+", version), version
        run([args.compiler, REPO / "tests/consumer_package/main.cpp", "-o", folder / "program", *flags])
        run([folder / "program"])
        print("pkg-config: weft", version)
    else:
        run([sys.executable, REPO / "scripts/make_single_header.py", "-o", folder / "weft-single.hpp"])
        readme = re.search(r"```cpp program\n(.*?)```\n```text\n(.*?)```", (REPO / "README.md").read_text(), re.S)
        assert "weft/weft.hpp" in readme[1]
        (folder / "readme.cpp").write_text(readme[1].replace("<weft/weft.hpp>", '"weft-single.hpp"'))
        # Two files that include it make one program.
        (folder / "other.cpp").write_text(
            '#include "weft-single.hpp"\nint count() { return int(weft::nn::count(weft::nn::Linear(4, 2))); }\n')
        run([args.compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pthread", folder / "readme.cpp",
             folder / "other.cpp", "-o", folder / "program", "-lz"])
        printed = run([folder / "program"])
        assert printed.strip() == readme[2].strip(), printed
        print("weft-single.hpp: the program of the README prints what the README says")

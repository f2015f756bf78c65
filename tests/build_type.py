#!/usr/bin/env python3
"""Configures weft by itself with a CMake: optimised unless a build type, or flags, say something else."""
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
EXPECTED = {"": "Release", "-DCMAKE_BUILD_TYPE=Debug": "Debug", "-DCMAKE_CXX_FLAGS=-O1": ""}

for option, expected in EXPECTED.items():
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.argv[1], "-S", str(REPO), "-B", folder, "-DWEFT_DEVELOP=OFF", *([option] if option else [])]
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={name: value for name, value in os.environ.items() if name != "CXXFLAGS"})
        if done.returncode:
            sys.exit(done.stdout)
        found = re.search(r"^CMAKE_BUILD_TYPE:\w+=(.*)$", (Path(folder) / "CMakeCache.txt").read_text(), re.M)
    kind = found[1] if found else ""
    if kind != expected:
        sys.exit(f"with '{option}' the build type is '{kind}', expected '{expected}'")
print("build types: as said")

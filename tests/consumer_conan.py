#!/usr/bin/env python3
"""Makes the Conan package of this checkout and builds a program against it: CONAN FOLDER."""
import os
import re
import subprocess
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
conan, folder = sys.argv[1], Path(sys.argv[2])
environment = {**os.environ, "CONAN_HOME": str(folder / "home")}
version = re.search(r"project\(weft VERSION (\S+)", (REPO / "CMakeLists.txt").read_text())[1]


def run(*arguments):
    done = subprocess.run([conan, *arguments], env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(done.stdout)


run("profile", "detect", "--force")
run("create", str(REPO / "packaging/conan"), "--version", version, "-s", "compiler.cppstd=20", "--no-remote")
print("conan: weft", version, "made, installed and used")

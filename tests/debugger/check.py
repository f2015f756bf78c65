#!/usr/bin/env python3
"""Runs gdb on tests/debugger/program.cpp with the printers of tools/weft_gdb.py: check.py COMPILER."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent.parent
if not shutil.which("gdb"):
    print("skipped: no gdb")
    sys.exit(77)

EXPECTED = {
    "x": "tensor of shape (2, 3), float, cpu = {(0, 0) = 0, (0, 1) = 1, (0, 2) = 2, (1, 0) = 3, (1, 1) = 4, (1, 2) = 5}",
    "columns": "tensor of shape (3, 2), float, cpu = {(0, 0) = 0, (0, 1) = 3, (1, 0) = 1, (1, 1) = 4, (2, 0) = 2, (2, 1) = 5}",
    "halves": "tensor of shape (3,), weft::half, cpu = {(0) = 0.5, (1) = 0.5, (2) = 0.5}",
    "none": "tensor of shape (0,), float, cpu",
    "scalar": "tensor of shape (), double, cpu = {() = 2.5}",
    "var": "Var = {value = tensor of shape (2, 3), float, cpu = {(0, 0) = 0,",
    "any": "AnyTensor of shape (2, 3), float32, cpu",
    "shape": "(2, 3)",
    "name": '"a text"',
    "formula": "expression add(mul(float (2, 3), 2), exp(sum(sub(float (2, 3), Var float (2, 3)))))",
}

with tempfile.TemporaryDirectory() as folder:
    program = Path(folder) / "program"
    subprocess.run([sys.argv[1], "-std=c++20", "-O0", "-g", f"-I{REPO / 'include'}", "-pthread",
                    REPO / "tests/debugger/program.cpp", "-o", program], check=True)
    commands = ["set debuginfod enabled off", "set print pretty off", f"source {REPO / 'tools/weft_gdb.py'}",
                "break stop_here", "run", *(f"print {name}" for name in EXPECTED),
                "set print elements 2", "print x"]
    done = subprocess.run(["gdb", "-batch", "-nx", *(a for c in commands for a in ("-ex", c)), program],
                          capture_output=True, text=True)
    if "ptrace" in done.stderr and "not permitted" in done.stderr:
        print("skipped: gdb may not trace here")
        sys.exit(77)
    printed = [line.split(" = ", 1)[1] for line in done.stdout.splitlines() if line.startswith("$")]
    printed = [line.split(") ", 1)[1] if line.startswith("(const") else line for line in printed]
    printed = [line.split(": ", 1)[1] if line.startswith("@0x") else line for line in printed]
    if len(printed) != len(EXPECTED) + 1:
        sys.exit(done.stdout + done.stderr)
    for (name, expected), found in zip(EXPECTED.items(), printed):
        assert found.startswith(expected), f"{name} prints\n{found}\nnot\n{expected}"
    assert printed[-1].endswith("{(0, 0) = 0, (0, 1) = 1...}"), printed[-1]
print("gdb shows tensors, shapes, Vars, expressions and texts")

#!/usr/bin/env python3
"""Fails unless two programs, with the same arguments, end well and print the same.

usage: same_output.py PROGRAM PROGRAM [ARGUMENT...]
"""
import subprocess
import sys

outputs = [subprocess.run([program, *sys.argv[3:]], capture_output=True, text=True) for program in sys.argv[1:3]]
print(outputs[0].stdout, end="")
if outputs[0].stdout != outputs[1].stdout:
    print("and with the second program:\n" + outputs[1].stdout + outputs[1].stderr)
sys.exit(outputs[0].stdout != outputs[1].stdout or any(out.returncode for out in outputs))

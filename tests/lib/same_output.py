#!/usr/bin/env python3
"""Fails unless two programs, with the same arguments, end well and print the same; with --near, numbers
may differ by a thousandth (libraries on a GPU add in any order).

usage: same_output.py [--near] PROGRAM PROGRAM [ARGUMENT...]
"""
import subprocess
import sys

arguments = sys.argv[1:]
near = arguments[0] == "--near"
programs, arguments = arguments[near:near + 2], arguments[near + 2:]


def number(word):
    for convert in (float, float.fromhex):
        try:
            return convert(word)
        except ValueError:
            pass
    return None


def same(a, b):
    x, y = number(a), number(b)
    return a == b or (near and None not in (x, y) and abs(x - y) <= 1e-3 * abs(x))


runs = [subprocess.run([program, *arguments], capture_output=True, text=True) for program in programs]
words = [run.stdout.split() for run in runs]
equal = len(words[0]) == len(words[1]) > 0 and all(map(same, *words))
print(runs[0].stdout, end="")
if not equal:
    print("and the second program:\n" + runs[1].stdout + runs[1].stderr)
sys.exit(not equal or any(run.returncode for run in runs))

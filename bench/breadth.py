#!/usr/bin/env python3
"""Puts times of weft's and of rivals beside each other: a table, and a file of bench/results.

    python3 bench/breadth.py --out FILE --note "machine, date" TIMES...

TIMES are files of lines of JSON ({"case", "who", "ms"}), as the benchmarks and bench/rivals print them. The
rival of a case is the fastest. Without TIMES the CPU's are measured: --program is bench/cpu_breadth.cpp,
compiled, and NumPy and SciPy run with as many threads.
"""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def times_of(lines):
    """{case: {who: ms}}, the least where there are several, and what failed."""
    found, failed = {}, []
    for line in lines:
        if not line.startswith("{"):
            continue
        entry = json.loads(line)
        if "failed" in entry:
            failed.append(f"{entry['case']} of {entry['who']}: {entry['failed']}")
        elif "ms" in entry:
            who = found.setdefault(entry["case"], {})
            who[entry["who"]] = min(entry["ms"], who.get(entry["who"], entry["ms"]))
    return found, failed


def measure(program, threads):
    environment = {**os.environ, **{f"{who}_NUM_THREADS": str(threads) for who in ("OMP", "WEFT", "OPENBLAS")}}
    lines = []
    for command in ([program], [sys.executable, str(HERE / "rivals" / "scipy_breadth.py"), str(threads)]):
        lines += subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout.splitlines()
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("times", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--note", default="")
    parser.add_argument("--program", help="the CPU's benchmark")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="of both in turn, the least counts: for a busy machine")
    args = parser.parse_args()
    lines = [line for _ in range(args.rounds) for line in measure(args.program, args.threads)] if args.program else [
        line for path in args.times for line in path.read_text().splitlines()]
    found, failed = times_of(lines)
    rows = []
    for case, who in found.items():
        rivals = {name: ms for name, ms in who.items() if name != "weft"}
        if "weft" not in who or not rivals:
            continue
        rival = min(rivals, key=rivals.get)
        rows.append((case, who["weft"], rival, rivals[rival], rivals[rival] / who["weft"]))
    text = "".join(f"# {line}\n" for line in args.note.split("\\n") if line) + "case,ms,rival,rival_ms,speedup\n"
    text += "".join(f"{case},{ms:.4f},{rival},{other:.4f},{ratio:.3f}\n" for case, ms, rival, other, ratio in rows)
    if args.out:
        args.out.write_text(text)
    for case, ms, rival, other, ratio in rows:
        print(f"{case:22s} {ms:10.3f} ms   {rival:16s} {other:10.3f} ms   {ratio:6.2f}")
    for line in failed:
        print("failed:", line)


if __name__ == "__main__":
    main()

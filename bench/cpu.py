#!/usr/bin/env python3
"""Runs the CPU's benchmark with one and two threads and NumPy beside it, and writes the results.

Rounds of bench_cpu (weft, hand-written loops, Eigen and xtensor interleaved in one process) and NumPy;
the least time of all rounds counts. Writes cpu.csv, cpu-all.csv and cpu.svg to the output folder.
Returns 1 where a result of weft's was wrong.
"""
import argparse
import csv
import datetime
import json
import math
import platform
import subprocess
import sys
from html import escape
from pathlib import Path

BENCH = Path(__file__).resolve().parent
ROOT = BENCH.parent


def lines_of(command):
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        print(f"left out: {' '.join(map(str, command))}: {found.stderr.strip()[-200:]}")
    return [json.loads(line) for line in found.stdout.splitlines() if line.startswith("{")]


def header():
    git = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if "model name" in line),
                 platform.processor())
    compiler = subprocess.run(["c++", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    return {"device": model, "compiler": compiler, "date": datetime.datetime.now().isoformat(timespec="seconds"),
            "commit": git.stdout.strip()}


def built_for(program):
    """The flags that the program was configured with."""
    cache = program.parent.parent / "CMakeCache.txt"
    found = [line.split("=", 1)[1].strip() for line in open(cache) if line.startswith("WEFT_BENCH_ARCH:")] if cache.exists() else []
    return f"-O3 -march={found[0]}" if found else "unknown"


def rows_of(lines):
    """One row a case and number of threads: weft, the best rival and the best of those as written plainly."""
    least = {}
    error = {}
    for line in lines:
        key = line["case"], line["threads"], line["who"]
        if not line["checked"]:
            continue
        least[key] = min(least.get(key, 1e30), line["ms"])
        error[key] = line.get("error", 0)
    rows = []
    for case, threads in dict.fromkeys((c, t) for c, t, _ in least):
        mine = least.get((case, threads, "weft"))
        others = {w: ms for (c, t, w), ms in least.items() if (c, t) == (case, threads) and w != "weft"}
        if mine is None or not others:
            continue
        best = min(others, key=others.get)
        rows.append({"case": case, "threads": threads, "ms": mine, "rival": best, "rival_ms": others[best],
                     "speedup": others[best] / mine, "error": error[case, threads, "weft"],
                     "rival_error": error[case, threads, best], "others": others})
    return rows


def svg(rows, about):
    """Speedups over the best rival, on a logarithmic axis."""
    left, width, step, top = 190, 480, 18, 46
    height = top + step * len(rows) + 20
    place = lambda s: left + width * (math.log2(min(max(s, 1 / 8), 8)) + 3) / 6
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{height}" '
             f'viewBox="0 0 720 {height}" font-family="sans-serif" font-size="11">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="20" font-size="13">speed relative to the best rival, '
             f'{escape(about["device"])}, {about["date"][:10]}</text>']
    for s in (1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8):
        colour = "#c0392b" if s == 1 else "#dddddd"
        parts.append(f'<line x1="{place(s):.0f}" x2="{place(s):.0f}" y1="{top - 8}" y2="{height - 14}" stroke="{colour}"/>'
                     f'<text x="{place(s):.0f}" y="{height - 3}" text-anchor="middle">{s:g}</text>')
    for i, row in enumerate(rows):
        y = top + step * i
        x = place(row["speedup"])
        parts.append(f'<text x="{left - 8}" y="{y + 11}" text-anchor="end">{escape(row["case"])}, '
                     f'{row["threads"]} thread{"s" if row["threads"] > 1 else ""}</text>'
                     f'<rect x="{min(x, place(1)):.1f}" y="{y}" width="{abs(x - place(1)):.1f}" height="13" '
                     f'fill="{"#1b6ca8" if row["speedup"] >= 1 else "#b8b8b8"}"/>'
                     f'<text x="{left + width + 6}" y="{y + 11}">{escape(row["rival"])}</text>')
    return "\n".join(parts + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default=ROOT / "build/release/bin/bench_cpu", type=Path)
    parser.add_argument("--out", default=ROOT / "build/bench", type=Path)
    parser.add_argument("--rounds", default=2, type=int)
    parser.add_argument("--seconds", default="1")
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--cases", help="names, separated by commas")
    args = parser.parse_args()
    lines = []
    for _ in range(args.rounds):
        for threads in args.threads.split(","):
            lines += lines_of([args.program, "--threads", threads, "--seconds", args.seconds]
                              + (["--cases", args.cases] if args.cases else []))
        lines += lines_of([sys.executable, BENCH / "rivals/numpy_bench.py"] + ([args.cases] if args.cases else []))
    rows, about = rows_of(lines), {**header(), "flags": built_for(args.program)}
    if not rows:
        sys.exit(f"no results: is {args.program} there?")
    args.out.mkdir(parents=True, exist_ok=True)
    top = "".join(f"# {key}: {value}\n" for key, value in about.items())
    columns = ["case", "threads", "ms", "rival", "rival_ms", "speedup", "error", "rival_error"]
    with open(args.out / "cpu.csv", "w") as file:
        file.write(top)
        writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow({k: f"{v:.4g}" if isinstance(v, float) else v for k, v in row.items()})
    with open(args.out / "cpu-all.csv", "w") as file:
        file.write(top)
        writer = csv.DictWriter(file, ["case", "threads", "who", "uses", "ms", "gbps", "error", "checked"],
                                lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)
    (args.out / "cpu.svg").write_text(svg(rows, about))
    for row in rows:
        print(f"{row['case']:20} {row['threads']} {row['ms']:12.5f} ms  {row['speedup']:6.2f} x {row['rival']}")
    for who in dict.fromkeys(w for row in rows for w in row["others"]):
        ratios = [row["others"][who] / row["ms"] for row in rows if who in row["others"]]
        print(f"geometric mean over {who}: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f} ({len(ratios)} cases)")
    return 0 if all(line["checked"] for line in lines if line["who"] == "weft") else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes bench/results/layers-<machine>.csv of lines of JSON that bench/layers.cu, bench/sequence.cu and
their rivals printed: the best form of the rival, and the most memory that a step took on both sides.

    python3 bench/layers.py OUT.csv HEADER LINES...

Cases that the lines lack keep the row that the file has.
"""
import csv
import json
import re
import sys
from pathlib import Path

COLUMNS = ["case", "ms", "rival", "rival_ms", "speedup", "mib", "rival_mib"]


def form(who, case):
    """The rival's name, and the case without the form that stands behind it."""
    found = re.fullmatch(r"(.*) \((eager|compile|graph)\)", case)
    if found:
        return found[1], {"eager": "PyTorch", "compile": "PyTorch compile", "graph": "PyTorch graph"}[found[2]]
    if who in ("PyTorch", "torch"):
        return case, "PyTorch graph" if case.endswith(("_step", "_step_last")) else "PyTorch"
    return case, who.replace("torch", "PyTorch", 1)


def main(out, header, paths):
    rows = {}
    path = Path(out)
    if path.exists():
        lines = [line for line in path.read_text().splitlines() if not line.startswith("#")]
        rows = {row["case"]: row for row in csv.DictReader(lines)}
    ms, mib = {}, {}
    for name in paths:
        for line in Path(name).read_text().splitlines():
            if not line.startswith("{"):
                continue
            found = json.loads(line)
            if "memory" in found:
                mib[found["memory"], found["who"] == "weft"] = found["mib"]
            elif "ms" in found:
                case, who = form(found["who"], found["case"])
                ms.setdefault(case, {})[who] = found["ms"]
    for case, times in ms.items():
        if "weft" not in times:
            continue
        mine = times.pop("weft")
        best = min(times, key=times.get, default="")
        rows[case] = {"case": case, "ms": f"{mine:.4f}", "rival": best,
                      "rival_ms": f"{times[best]:.4f}" if best else "",
                      "speedup": f"{times[best] / mine:.3f}" if best else "",
                      "mib": mib.get((case, True), ""), "rival_mib": mib.get((case, False), "")}
        print(f"{case:28} {mine:9.4f}  {best:16} {rows[case]['rival_ms']:>9} {rows[case]['speedup']:>7}"
              f"  {rows[case]['mib']!s:>8} {rows[case]['rival_mib']!s:>8}")
    with path.open("w") as file:
        file.write(header.rstrip() + "\n")
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows.values())


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])

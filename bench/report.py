"""Benchmark results: medians over the rounds, the best rival, and tables, CSV and SVG of them."""
import csv
import re
import statistics
import sys
from html import escape

from targets import (ABOVE_RAW_US, AS_FAST_AS, AT_MOST_MS, MEANS, RECORDED, RECORDED_COPY_MS, RECORDED_ON,
                     SPEEDUP, TARGETS, TFLOPS, YARDSTICKS)

COLUMNS = ["case", "ms", "gbps", "percent_of_copy", "rival", "rival_ms", "speedup"]
MARKS = ("<!-- results -->", "<!-- end of results -->")


class Results:
    """The lines of all programs and rounds, reduced to one row a case."""

    def __init__(self, lines, header):
        self.lines, self.header = lines, header
        name = re.sub(r"(?i)^(nvidia|tesla|geforce)\s+", "", header["device"])
        self.machine = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
        self.median = {}   # (case, who) -> ms, gbps
        for case, who in dict.fromkeys((line["case"], line["who"]) for line in lines):
            mine = [x for x in lines if (x["case"], x["who"]) == (case, who)]
            if who != "weft" and any(x["checked"] is False for x in mine):
                continue  # a rival that computes something else
            self.median[case, who] = tuple(statistics.median(x[k] for x in mine) for k in ("ms", "gbps"))
        self.unequal = sorted({f"{x['who']} on {x['case']}" for x in lines
                               if x["who"] != "weft" and x["checked"] is False})
        self.failed = {x["case"] for x in lines if x["who"] == "weft" and not x["checked"]}
        self.kernels = {x["case"]: x["kernels"] for x in lines if x["who"] == "weft"}
        self.wrong = bool(self.failed)
        self.rows = {case: self.row(case) for case in TARGETS if (case, "weft") in self.median}

    def rivals(self, case):
        """Milliseconds of each rival; what was recorded elsewhere stands in for those not run."""
        found = {who: ms for (c, who), (ms, _) in self.median.items()
                 if c == case and who != "weft" and who not in YARDSTICKS}
        copy = self.median.get(("copy", "cudaMemcpyAsync"))
        if self.machine == RECORDED_ON and case in RECORDED:
            by_memory = case not in ABOVE_RAW_US and case not in TFLOPS
            scale = copy[0] / RECORDED_COPY_MS if copy and by_memory else 1
            for who, ms in RECORDED[case].items():
                if who not in found:
                    found[f"{who} (recorded)"] = ms * scale
        return found

    def row(self, case):
        ms, gbps = self.median[case, "weft"]
        copy = self.median.get(("copy", "cudaMemcpyAsync"), (0, 0))[1]
        rivals = self.rivals(case)
        best = min(rivals, key=rivals.get, default="")
        return {"case": case, "ms": ms, "gbps": gbps,
                "percent_of_copy": 100 * gbps / copy if copy and gbps and case not in TFLOPS else None,
                "rival": best, "rival_ms": rivals.get(best),
                "speedup": rivals[best] / ms if best else None}

    def goal(self, case):
        """What the case must reach, in words, and whether it did (None where that is not known)."""
        row = self.rows[case]
        quick_enough = row["speedup"] is None or row["speedup"] >= SPEEDUP
        if case in ABOVE_RAW_US:
            raw = self.median.get(("small_chain", "raw launch"))
            if not raw:
                return "", None
            most = raw[0] * 1e3 + ABOVE_RAW_US[case]
            return f"{most:.2f} us", quick_enough and row["ms"] * 1e3 <= most
        if case in AT_MOST_MS:
            return f"{AT_MOST_MS[case]:.3f} ms", quick_enough and row["ms"] <= AT_MOST_MS[case]
        if case in AS_FAST_AS:
            who = AS_FAST_AS[case]
            yardstick = self.median.get((case, who))
            return who, quick_enough and row["ms"] * SPEEDUP <= yardstick[0] if yardstick else None
        if TARGETS[case] is None:
            return "", quick_enough if row["speedup"] else None
        return f"{TARGETS[case]:.0f}", quick_enough and row["gbps"] >= TARGETS[case]

    def write(self, folder):
        """The three files."""
        paths = [folder / f"{self.machine}{end}" for end in (".csv", "-all.csv", ".svg")]
        head = "".join(f"# {key}: {value}\n" for key, value in self.header.items())
        with open(paths[0], "w", newline="") as f:
            f.write(head)
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(COLUMNS)
            digits = {"ms": 4, "gbps": 0, "percent_of_copy": 1, "rival_ms": 4, "speedup": 3}
            for row in self.rows.values():
                writer.writerow(["" if row[c] is None else f"{row[c]:.{digits[c]}f}" if c in digits
                                 else row[c] for c in COLUMNS])
        with open(paths[1], "w", newline="") as f:
            f.write(head)
            columns = ["case", "who", "process", "ms", "gbps", "kernels", "checked"]
            writer = csv.writer(f, lineterminator="\n")
            writer.writerow(columns)
            checked = {None: "", True: "yes", False: "NO"}
            for x in self.lines:
                writer.writerow([x["case"], x["who"], x["process"], f"{x['ms']:.5f}",
                                 f"{x['gbps']:.1f}", x["kernels"] or "", checked[x["checked"]]])
        paths[2].write_text(self.svg())
        return paths

    def table(self, cases):
        """The results and the targets, for a terminal."""
        text = (f"{'case':18}{'ms':>9}{'GB/s':>7}{'%copy':>7}{'kernels':>8}  {'best rival':24}"
                f"{'ms':>9}{'speedup':>8}  {'target':9}met\n")
        met, missed = 0, []
        for case in cases:
            if case not in self.rows:
                text += f"{case:18}no result\n"
                missed.append(f"{case} (no result)")
                continue
            row, (goal, reached) = self.rows[case], self.goal(case)
            answer = "WRONG RESULT" if case in self.failed else {None: "-", True: "yes", False: "NO"}[reached]
            met += answer == "yes"
            if answer in ("NO", "WRONG RESULT"):
                missed.append(f"{case} ({self.shortfall(case)})")
            number = lambda value, digits: "" if not value else f"{value:.{digits}f}"
            text += (f"{case:18}{row['ms']:9.4f}{number(row['gbps'], 0):>7}"
                     f"{number(row['percent_of_copy'], 1):>7}{self.kernels[case] or '?':>8}"
                     f"  {row['rival'] or '-':24}{number(row['rival_ms'], 4):>9}"
                     f"{number(row['speedup'], 2):>8}  {goal:9}{answer}\n")
        for who in YARDSTICKS:
            for (case, name), (ms, gbps) in self.median.items():
                if name == who:
                    text += f"yardstick: {who}, {case}: {ms:.4f} ms" + (f", {gbps:.0f} GB/s\n" if gbps else "\n")
        for name in self.unequal:
            text += f"not counted, another result: {name}\n"
        text += "".join(f"missed: {line}\n" for line in missed)
        for name, members in MEANS.items():
            text += self.mean(name, [case for case in members if case in cases])
        return text + f"{met} of {len(cases)} met on {self.header['device']}\n"

    def shortfall(self, case):
        """What a case that is not met lacks, in a few words."""
        row, (goal, _) = self.rows[case], self.goal(case)
        if case in self.failed:
            return "wrong result"
        short = []
        if row["speedup"] is not None and row["speedup"] < SPEEDUP:
            short.append(f"{row['speedup']:.3f} of {row['rival']}")
        if TARGETS[case] and row["gbps"] < TARGETS[case]:
            short.append(f"{row['gbps'] / TARGETS[case]:.3f} of {goal} {'TFLOP/s' if case in TFLOPS else 'GB/s'}")
        return ", ".join(short) or f"slower than {goal}"

    def mean(self, name, cases):
        """The geometric mean of the speedups over the best rivals, as a line."""
        found = [self.rows[case]["speedup"] for case in cases
                 if case in self.rows and self.rows[case]["speedup"]]
        if not found:
            return ""
        return (f"geometric mean speedup, {name}: {statistics.geometric_mean(found):.3f} "
                f"({len(found)} of {len(cases)})\n")

    def svg(self):
        """Bars of GB/s, weft above its best rival, with the copy's speed as a line."""
        rows = [row for row in self.rows.values() if row["gbps"] and row["case"] not in TFLOPS]
        copy = self.median.get(("copy", "cudaMemcpyAsync"), (0, 0))[1]
        left, width, step, top = 130, 560, 34, 46
        most = max([copy, 1] + [row["gbps"] / min(1, row["speedup"] or 1) for row in rows])
        scale = width / (most * 1.05)
        height = top + step * len(rows) + 30
        parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="860" height="{height}" '
                 f'viewBox="0 0 860 {height}" font-family="sans-serif" font-size="12">',
                 '<rect width="100%" height="100%" fill="white"/>',
                 f'<text x="{left}" y="20" font-size="14">GB/s of the least bytes to move, '
                 f'{escape(self.header["device"])}, {escape(self.header["date"][:10])}</text>']
        for i, row in enumerate(rows):
            y = top + step * i
            parts.append(f'<text x="{left - 8}" y="{y + 17}" text-anchor="end">{escape(row["case"])}</text>')
            bars = [("weft", row["gbps"], "#1b6ca8")]
            if row["speedup"]:
                bars.append((row["rival"], row["gbps"] / row["speedup"], "#b8b8b8"))
            for k, (who, gbps, colour) in enumerate(bars):
                parts.append(f'<rect x="{left}" y="{y + 13 * k}" width="{gbps * scale:.1f}" height="12" '
                             f'fill="{colour}"/>')
                parts.append(f'<text x="{left + gbps * scale + 5:.1f}" y="{y + 13 * k + 10}" '
                             f'font-size="10">{gbps:.0f} {escape(who)}</text>')
        if copy:
            x = left + copy * scale
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top - 10}" y2="{height - 24}" '
                         'stroke="#c0392b" stroke-dasharray="4 3"/>')
            parts.append(f'<text x="{x:.1f}" y="{height - 10}" text-anchor="middle" fill="#c0392b">'
                         f'cudaMemcpy {copy:.0f}</text>')
        return "\n".join(parts + ["</svg>"]) + "\n"


def markdown(path, target=None):
    """Prints a results file as a Markdown table, or puts it between the marks in `target`."""
    lines = path.read_text().splitlines()
    about = dict(line[2:].split(": ", 1) for line in lines if line.startswith("# "))
    rows = list(csv.DictReader(line for line in lines if not line.startswith("#")))
    text = (f"{about['device']}, driver {about['driver']}, {about['toolkit']}; {about['versions']}; "
            f"{about['date'][:10]}, commit {about['commit']}.\n\n"
            "| case | ms | GB/s | % of copy | best rival | ms | speedup |\n|---|---|---|---|---|---|---|\n")
    for row in rows:
        gbps = row["gbps"] if row["percent_of_copy"] else ""
        gbps = f"{row['gbps']} TFLOP/s" if row["case"] in TFLOPS else gbps
        text += (f"| {row['case']} | {row['ms']} | {gbps} | {row['percent_of_copy']} | {row['rival']} "
                 f"| {row['rival_ms']} | {row['speedup']} |\n")
    if not target:
        print(text, end="")
        return 0
    page = target.read_text()
    if any(mark not in page for mark in MARKS):
        print(f"{target} has no {MARKS[0]} ... {MARKS[1]}", file=sys.stderr)
        return 1
    before, after = page.split(MARKS[0])[0], page.split(MARKS[1])[1]
    target.write_text(f"{before}{MARKS[0]}\n{text}{MARKS[1]}{after}")
    return 0

"""What weft's kernels really move: DRAM bytes of each case under ncu, beside the least possible.

ncu empties the caches before each kernel, so what a further kernel of the same case reads again is
counted even where it would still be in L2; results that are still in L2 when a kernel ends are not.
"""
import csv
import json
import re
import shutil
import subprocess
from pathlib import Path

METRICS = ("dram__bytes_read.sum", "dram__bytes_write.sum")
MOST = 1.03  # of the least bytes, from here on a case is flagged
MARK = "case_begins"


def find_ncu():
    others = sorted(Path("/opt/nvidia/nsight-compute").glob("*/ncu"))
    return shutil.which("ncu") or next((str(p) for p in [Path("/usr/local/cuda/bin/ncu"), *others[::-1]]
                                        if p.exists()), None)


def family(name):
    """The name of a kernel without return type, namespaces, template arguments and parameters."""
    return re.split(r"[<(]", name.removeprefix("void "), maxsplit=1)[0].split("::")[-1]


def kernels_of(profile):
    """A list of (family, bytes read, bytes written) for each case, in the order of the run."""
    lines = profile.splitlines()
    begin = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    cases = []
    for row in list(csv.DictReader(lines[begin:]))[1:]:  # the first holds the units
        if family(row["Kernel Name"]) == MARK:
            cases.append([])
        elif cases:
            moved = [float(row[metric].replace(",", "")) for metric in METRICS]
            cases[-1].append((family(row["Kernel Name"]), *moved))
    return cases


def profile(ncu, program, cases, log):
    """(case, least bytes, its kernels) of one program; None where ncu did not work."""
    log.unlink(missing_ok=True)
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--clock-control", "none",
               "--profile-from-start", "off", "--metrics", ",".join(METRICS), "--log-file", str(log),
               str(program), "--once", "--cases", ",".join(cases)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode == 77:
        return []
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    for line in said:
        if "failed" in line:
            print(f"{line['case']} failed, {line['failed']}")
    said = [(line["profiled"], line["bytes"]) for line in said if "profiled" in line]
    found = kernels_of(log.read_text(errors="replace")) if log.exists() else []
    if not said or len(found) != len(said):
        print(f"{Path(program).name}: ncu gave no figures (exit code {done.returncode}), see {log}")
        return None
    return [(case, least, kernels) for (case, least), kernels in zip(said, found)]


def table(rows):
    """The cases, then each family of kernels with the worst of the cases that are nearly all its own."""
    text = f"{'case':18}{'MB read':>10}{'written':>10}{'least':>10}{'ratio':>7}  kernels\n"
    worst, over = {}, []
    for case, least, kernels in rows:
        read, written = (sum(kernel[k] for kernel in kernels) for k in (1, 2))
        ratio = (read + written) / least
        if ratio > MOST:
            over.append(case)
        names = [kernel[0] for kernel in kernels]
        counted = ", ".join(f"{name} x {names.count(name)}" if names.count(name) > 1 else name
                            for name in dict.fromkeys(names))
        text += (f"{case:18}{read / 1e6:10.1f}{written / 1e6:10.1f}{least / 1e6:10.1f}{ratio:7.3f}"
                 f"  {counted}{'  OVER' if ratio > MOST else ''}\n")
        for name in set(names):
            share = sum(moved + more for other, moved, more in kernels if other == name)
            alone = share > 0.95 * (read + written)
            worst[name] = max(worst.get(name, (0, "")), (ratio, case) if alone else (0, ""))
    text += f"\n{'kernel':34}{'worst ratio':>12}  case\n"
    for name, (ratio, case) in sorted(worst.items()):
        text += f"{name:34}{f'{ratio:.3f}' if case else '-':>12}  {case or 'never alone'}\n"
    return text + f"\n{len(rows) - len(over)} of {len(rows)} within {100 * (MOST - 1):.0f} %\n", over


def measure(programs, work, out):
    """Prints the table; 0 where all cases stay within the limit, 77 without ncu or a GPU."""
    ncu = find_ncu()
    if not ncu:
        print("skipped: ncu was not found")
        return 77
    rows, broken = [], False
    for group, path in programs.items():
        found = profile(ncu, path, work[group], out / f"dram-{group}.log")
        broken = broken or found is None
        rows += found or []
    if not rows:
        return 1 if broken else 77
    text, over = table(rows)
    (out / "dram.txt").write_text(text)
    print(text, end="")
    return 1 if broken or over else 0

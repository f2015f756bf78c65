"""What the runs gave: errors against the reference, ratios, the CSV file and the summary."""
import csv
import datetime
import math
import platform
import re
import shutil
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
COLUMNS = ["seed", "case", "family", "statement", "weft_ms", "rival", "rival_ms", "ratio",
           "weft_share_of_memory_bound", "rival_share", "max_error", "note"]
# Relative to the larger of the element and the mean; of integers the share that differs.
TOLERANCE = {"float64": 1e-8, "float32": 2e-4, "float16": 5e-3, "bfloat16": 4e-2}
NEAR, FAR = 1.05, 1.25


def error(found, expected, type):
    """How far the samples, and the sum over all elements, are off."""
    if len(found) != len(expected):
        return math.inf
    pairs = list(zip(found[:-2], expected[:-2]))
    if type not in TOLERANCE:
        return sum(a != b for a, b in pairs) / max(1, len(pairs))
    finite = [abs(e) for _, e in pairs if math.isfinite(e)]
    scale = sum(finite) / max(1, len(finite)) or 1.0
    worst = 0.0
    for a, b in pairs:
        if a != b and not (math.isnan(a) and math.isnan(b)):
            off = abs(a - b) / max(abs(b), scale)
            worst = max(worst, off if math.isfinite(off) else math.inf)
    total, size = expected[-2:]
    if math.isfinite(size) and size > 0:
        off = abs(found[-2] - total) / size
        worst = max(worst, off if math.isfinite(off) else math.inf)
    return worst


def errors(found, expected, types):
    if len(found) != len(expected):
        return math.inf
    return max(error(f, e, t) / TOLERANCE.get(t, 2e-3) for f, e, t in zip(found, expected, types))


class Outcome:
    """One statement's figures."""

    def __init__(self, seed, case, statement):
        self.seed, self.case, self.statement = seed, case, statement
        self.weft_ms, self.weft, self.rivals, self.reference = None, None, {}, None
        self.note = ""      # why there is no figure of weft's
        self.remarks = []   # about rivals

    def judge(self):
        """Sets the largest error, whether weft is right, and leaves out rivals that are not."""
        types = [t for _, t in self.statement.result_types()]
        self.max_error, self.wrong = None, False
        if self.reference is None:
            return
        off = {who: errors(found, self.reference, types) for who, (_, found) in self.rivals.items()}
        eager = min(off.values(), default=0)
        for who in [who for who, e in off.items() if e > 10]:
            self.remarks.append(f"{who} is off by {off[who]:.3g} times the tolerance, not counted")
            del self.rivals[who]
        if self.weft is not None:
            self.max_error = max(error(f, e, t) for f, e, t in zip(self.weft, self.reference, types)) \
                if len(self.weft) == len(self.reference) else math.inf
            found = errors(self.weft, self.reference, types)
            self.wrong = found > max(1, 4 * min(eager, 10))

    @property
    def best(self):
        return min(self.rivals, key=lambda who: self.rivals[who][0], default="")

    @property
    def rival_ms(self):
        return self.rivals[self.best][0] if self.rivals else None

    @property
    def ratio(self):
        return self.weft_ms / self.rival_ms if self.weft_ms and self.rival_ms else None

    def share(self, ms, bandwidth):
        return self.statement.bytes() / bandwidth / (ms * 1e-3) if ms and bandwidth else None

    def row(self, bandwidth):
        figure = lambda x, digits=4: "" if x is None else f"{x:.{digits}g}"  # noqa: E731
        note = "; ".join([self.note] * bool(self.note) + ["wrong"] * self.wrong + self.remarks)
        return [self.seed, self.case, self.statement.family, f"{self.statement.text()}; {self.statement.shapes()}",
                figure(self.weft_ms), self.best, figure(self.rival_ms), figure(self.ratio),
                figure(self.share(self.weft_ms, bandwidth), 3), figure(self.share(self.rival_ms, bandwidth), 3),
                figure(self.max_error, 3), note]


def kernel_lines(trace, timed, runs):
    """What a trace of `runs` runs says, of which the last `timed` count: a line for each kernel of a run, in the order
    of their launches, with its mean time. What was launched besides, before the second run, is left out."""
    events = sorted((e for e in trace["traceEvents"] if e["ph"] == "X" and e["pid"] > 0), key=lambda e: e["ts"])
    each = len(events) // runs
    if each == 0:
        return ["no kernels of weft's own"]
    events = events[-each * timed:]
    kernels = [events[k::each] for k in range(each)]
    return [f"{sum(e['dur'] for e in kernel) / timed / 1e3:.4f} ms  {kernel[0]['name'][:150]}" for kernel in kernels]


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else math.nan


def output_of(*command):
    try:
        done = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def header(device, device_name, versions, command, threads):
    commit = output_of("git", "rev-parse", "--short=12", "HEAD")
    if commit and output_of("git", "status", "--porcelain", "--untracked-files=no"):
        commit += " and changes"
    lines = {"device": device_name}
    if device == "cuda":
        nvcc = output_of(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc", "--version")
        release = re.search(r"release ([\d.]+)", nvcc)
        driver = output_of("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader")
        lines["driver"] = driver.split()[0] if driver else "unknown"
        lines["toolkit"] = f"nvcc {release[1]}" if release else "unknown"
    else:
        lines["threads"] = threads or "all"
        lines["compiler"] = (output_of("g++", "--version").splitlines() or ["unknown"])[0]
    lines["versions"] = versions
    lines["date"] = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
    lines["commit"] = commit or "unknown"
    lines["command"] = command
    return lines


def machine(device, name):
    if device == "cpu":
        return "cpu"
    name = re.sub(r"(?i)^(nvidia|tesla|geforce)\s+", "", name)
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def cpu_name():
    try:
        return re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        return platform.processor() or "unknown"


def write_csv(path, outcomes, about, bandwidth):
    with open(path, "w", newline="") as file:
        for key, value in about.items():
            file.write(f"# {key}: {value}\n")
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for outcome in outcomes:
            writer.writerow(outcome.row(bandwidth))


def table(outcomes, bandwidth):
    """By family: how many, geometric means, shares."""
    lines = [f"{'family':<20}{'cases':>6}{'weft/best':>11}{'<= 1.05':>9}{'<= 1.25':>9}"
             f"{'of bound: weft':>16}{'rival':>7}"]

    def line(name, mine):
        ratios = [o.ratio for o in mine if o.ratio]
        shares = [[s for s in (o.share(ms(o), bandwidth) for o in mine) if s]
                  for ms in (lambda o: o.weft_ms, lambda o: o.rival_ms)]

        def percent(most):
            return f"{100 * sum(r <= most for r in ratios) / len(ratios):.0f} %" if ratios else "-"
        means = [f"{geometric(v):.{digits}f}" if v else "-"
                 for v, digits in ((ratios, 3), (shares[0], 2), (shares[1], 2))]
        lines.append(f"{name:<20}{len(mine):>6}{means[0]:>11}{percent(NEAR):>9}{percent(FAR):>9}"
                     f"{means[1]:>16}{means[2]:>7}")

    for family in dict.fromkeys(o.statement.family for o in outcomes):
        line(family, [o for o in outcomes if o.statement.family == family])
    line("all", outcomes)
    return "\n".join(lines)


def summary(outcomes, bandwidth, worst, explained):
    """The worst with what explain says, what failed, and the table last."""
    parts = []
    for o in worst:
        share = o.share(o.weft_ms, bandwidth)
        against = f", {o.ratio:.2f} times {o.best}'s {o.rival_ms:.4f} ms" if o.ratio else ""
        bound = f", {share:.2f} of the memory bound" if share else ""
        text = explained.get(o.case, "not explained").strip()
        parts.append(f"case {o.case} ({o.statement.family}): {o.weft_ms:.4f} ms{against}{bound}\n"
                     f"  {o.statement.text()}\n  {o.statement.shapes()}\n" +
                     "\n".join("    " + line for line in text.splitlines()[:14]))
    failed = [o for o in outcomes if o.note or o.wrong]
    if failed:
        parts.append("failures:\n" + "\n".join(
            f"  case {o.case} ({o.statement.family}): {o.note or f'wrong, error {o.max_error:.3g}'}\n"
            f"    {o.statement.text()}\n    {o.statement.shapes()}" for o in failed))
    remarks = [f"  case {o.case}: {r}" for o in outcomes for r in o.remarks]
    if remarks:
        parts.append("rivals:\n" + "\n".join(remarks))
    parts.append(table(outcomes, bandwidth))
    checked = [o for o in outcomes if o.max_error is not None]
    parts.append(f"{len(outcomes)} statements, {len(checked)} checked against double, {len(failed)} failed or wrong, "
                 f"{sum(o.ratio is not None for o in outcomes)} compared")
    return "\n\n".join(parts)

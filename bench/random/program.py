"""The program behind bench/random.py: draw, compile, time in turns, say how it went."""
import argparse
import ctypes
import json
import os
import shutil
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import results
from draw import SCALES
from families import FAMILIES, WITH_GRADIENTS, statement
from process import Died, Process
from weft_side import Compiler, Programs

HERE = Path(__file__).resolve().parent


def cores():
    """Of those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def arguments(description):
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--seed", type=int, default=1, help="default: %(default)s")
    add("--count", type=int, default=48, help="how many statements; default: %(default)s")
    add("--only", default="", metavar="N,N", help="only the statements of these numbers")
    add("--family", default="", help="only of these, comma-separated: " + ", ".join(FAMILIES))
    add("--backward", action="store_true", help="statements with gradients, forward and backward")
    add("--device", choices=("cuda", "cpu"), default="cuda")
    add("--threads", type=int, default=0, help="of the CPU; 0: all")
    add("--scale", default="", help="of the sizes: a number, or " + ", ".join(SCALES) +
        "; default: full, on the CPU small")
    add("--rivals", default="eager,compile", help="of PyTorch; default: %(default)s; none: weft alone, still checked")
    add("--jobs", type=int, default=cores(), help="compilers at a time; default: %(default)s")
    add("--workers", type=int, default=0, help="processes of PyTorch that compile at a time; on a GPU more than one "
        "disturb its autotuner; default: 1, on the CPU half as many as there are cores")
    add("--limit", type=float, default=0, help="begin no statement after so many seconds; default: no limit")
    add("--explain", type=int, default=5, metavar="N", help="explain the N worst; default: %(default)s")
    add("--kernels", action="store_true", help="the time of each kernel of weft's, on CUDA")
    add("--arch", default="native", help="what -arch (nvcc) or -march (g++) says; default: %(default)s")
    add("--milliseconds", type=float, default=100, help="about, of timing each; default: %(default)s")
    add("--out", default="build/random", help="folder for sources, programs and results; default: %(default)s")
    add("--list", action="store_true", help="print the statements, run nothing")
    add("--compile-only", action="store_true", help="compile weft's side and say what is refused")
    add("--self-test", action="store_true", help="check the generator in a few seconds, without a compiler")
    args = parser.parse_args()
    args.scale = args.scale or ("small" if args.device == "cpu" else "full")
    try:
        args.scale = SCALES[args.scale] if args.scale in SCALES else float(args.scale)
    except ValueError:
        parser.error(f"--scale {args.scale}, expected a number or {', '.join(SCALES)}")
    args.family = [f.strip() for f in args.family.split(",") if f.strip()]
    for family in args.family:
        if family not in FAMILIES:
            parser.error(f"--family {family}, expected {', '.join(FAMILIES)}")
        if args.backward and family not in WITH_GRADIENTS:
            parser.error(f"--backward --family {family}, expected {', '.join(WITH_GRADIENTS)}")
    if args.workers == 0:
        args.workers = max(1, cores() // 2) if args.device == "cpu" else 1
    args.rivals = [r for r in args.rivals.split(",") if r in ("eager", "compile")]
    return args


class Run:
    """All of one call: statements, programs and figures."""

    def __init__(self, args, statements):
        self.args, self.begin = args, time.time()
        self.out = Path(args.out)
        shutil.rmtree(self.out / "work", ignore_errors=True)
        (self.out / "work").mkdir(parents=True)
        self.log = open(self.out / "random.log", "w")
        self.outcomes = {n: results.Outcome(args.seed, n, s) for n, s in statements.items()}
        compiler = Compiler(args.device, args.arch, self.out / "work", traced=args.kernels and args.device == "cuda")
        self.programs = Programs(compiler, statements, args.seed, args.jobs)
        start = {"do": "start", "device": args.device, "threads": args.threads, "rivals": args.rivals,
                 "milliseconds": args.milliseconds}
        environment = dict(os.environ)
        if args.device == "cpu":
            if args.threads:
                environment["OMP_NUM_THREADS"] = str(args.threads)
            if args.workers > 1:  # each compiles by itself, without a pool of its own
                environment.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
        self.workers = [Process([sys.executable, HERE / "rivals.py"], self.log, json.dumps(start), environment)
                        for _ in range(max(1, args.workers))]
        self.prepared = {}  # by the process that has it compiled

    def seconds(self):
        return time.time() - self.begin

    def late(self, part=1.0):
        return self.args.limit and self.seconds() > part * self.args.limit

    def worker(self, n):
        return self.workers[list(self.outcomes).index(n) % len(self.workers)]

    def prepare(self, n, check=True):
        """The reference, and the rival's compiled form."""
        o, worker = self.outcomes[n], self.worker(n)
        message = {**o.statement.as_message(n), "do": "prepare", "check": check and o.reference is None}
        try:
            answer = worker.ask(json.dumps(message), 180)
        except Died as died:
            o.remarks.append(f"PyTorch: {died}")
            return
        self.prepared[n] = worker.program
        o.reference = answer.get("reference", o.reference)
        self.remark(o, answer)

    def remark(self, o, answer):
        for who, why in answer["failed"].items():
            if f"{who}: {why}" not in o.remarks:
                o.remarks.append(f"{who}: {why}")

    def prepare_all(self):
        def some(first):  # the statements of one worker
            for k, n in enumerate(self.outcomes):
                if k % len(self.workers) == first and not self.late(0.6):
                    self.prepare(n)
        with ThreadPoolExecutor(len(self.workers)) as pool:
            list(pool.map(some, range(len(self.workers))))

    def time_weft(self, n):
        o = self.outcomes[n]
        try:
            answer = self.weft.ask(f"run {n}", 120)
        except Died as died:
            o.note = f"failed: {died}"
            return
        if "failed" in answer:
            o.note = f"failed: {answer['failed']}"
        else:
            o.weft_ms, o.weft = answer["ms"], answer["results"]

    def time_rivals(self, n):
        o, worker = self.outcomes[n], self.worker(n)
        if n not in self.prepared or not self.rivals:
            return
        if self.prepared[n] is not worker.program:  # it died since: what it had compiled is gone
            self.prepare(n)
        try:
            answer = worker.ask(json.dumps({"do": "time", "case": n}), 180)
        except Died as died:
            o.remarks.append(f"PyTorch: {died}")
            return
        o.rivals = {who: (ms, answer["results"][who]) for who, ms in answer["ms"].items()}
        self.remark(o, answer)

    def measure(self):
        a = self.args
        self.prepare_all()
        started = next((w.started for w in self.workers if w.started), None) or {"failed": {"rivals": "not started"}}
        self.rivals = started.get("rivals", [])
        for who, why in started["failed"].items():
            print(f"{who} is left out: {why}")
        print(f"{self.seconds():.0f} s: references and rivals are compiled", flush=True)
        program, refused = self.programs.linked()
        print(f"{self.seconds():.0f} s: weft's side is compiled, {len(refused)} refused", flush=True)
        for n, why in refused.items():
            self.outcomes[n].note = f"not compiled: {why}"
        self.weft = Process([program, a.milliseconds, a.threads], self.log)
        device = self.weft.ask("device 0", 120)
        if "failed" in device:
            print(f"skipped on the GPU: {device['failed']}")
            return 77
        self.bandwidth = device["bandwidth"]
        name = device["device"] if a.device == "cuda" else results.cpu_name()
        about = results.header(a.device, name, started.get("version", "no reference"),
                               " ".join(["bench/random.py", *sys.argv[1:]]), a.threads)
        csv = self.out / f"random-{results.machine(a.device, name)}.csv"
        done = []
        for n, o in self.outcomes.items():
            if self.late(0.92):
                print(f"{self.seconds():.0f} s: case {n} and those behind are not run (--limit)")
                break
            if n not in refused:
                self.time_weft(n)
                self.time_rivals(n)
            o.judge()
            done.append(o)
            results.write_csv(csv, done, about, self.bandwidth)
            if not refused.get(n):
                print(self.line(o), flush=True)
        for process in [self.weft, *self.workers]:
            process.close()
        for o in done:
            if a.kernels and a.device == "cuda" and o.weft_ms:
                print(f"case {o.case}, {o.weft_ms:.4f} ms: {o.statement.text()}\n    {o.statement.shapes()}")
                print("\n".join("    " + line for line in self.kernels(program, o.case)), flush=True)
        self.finish(done, csv)
        return 1 if any(o.note or o.wrong for o in done) or not done else 0

    def kernels(self, program, n):
        """A line for each kernel of a run of a statement."""
        path = self.out / "trace.json"
        path.unlink(missing_ok=True)
        traced = Process([program, self.args.milliseconds], self.log, None, {**os.environ, "WEFT_TRACE": str(path)})
        try:
            answer = traced.ask(f"run {n}", 120)
            traced.close()
            return results.kernel_lines(json.loads(path.read_text()), *answer["runs"])
        except (Died, OSError, ValueError, KeyError) as error:
            return [f"not traced: {error}"]

    def line(self, o):
        if o.note:
            return f"case {o.case}: {o.note}"
        times = "".join(f", {who} {ms:.4f}" for who, (ms, _) in o.rivals.items())
        ratio = f", {o.ratio:.2f}" if o.ratio else ""
        error = f", error {o.max_error:.2g}" if o.max_error is not None else ", not checked"
        wrong = ", WRONG" * o.wrong
        return f"case {o.case} ({o.statement.family}): weft {o.weft_ms:.4f} ms{times}{ratio}{error}{wrong}"

    def finish(self, done, csv):
        """Explains the worst and prints the summary."""
        slow = sorted((o for o in done if o.weft_ms),
                      key=lambda o: (-(o.ratio or 0), o.share(o.weft_ms, self.bandwidth) or 0))
        worst = slow[:self.args.explain]
        explained = {}
        if worst and not self.late(0.9):
            try:
                program, refused = self.programs.explaining([o.case for o in worst])
                explainer = Process([program, self.args.milliseconds, self.args.threads], self.log)
                explained = {n: f"explain does not compile: {why}" for n, why in refused.items()}
                for o in worst:
                    if o.case not in refused:
                        answer = explainer.ask(f"explain {o.case}", 60)
                        explained[o.case] = answer.get("explained") or answer.get("failed", "")
                explainer.close()
            except (Died, RuntimeError) as error:
                print(f"explain: {error}")
        print("\n" + results.summary(done, self.bandwidth, worst, explained))
        print(f"{csv}; {self.seconds():.0f} s")


def has_gpu():
    try:
        return ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        return False


def main(description):
    args = arguments(description)
    if args.self_test:
        import self_test
        return self_test.main()
    numbers = [int(n) for n in args.only.split(",") if n] or range(args.count)
    statements = {n: statement(args.seed, n, args.scale, args.family, args.backward) for n in numbers}
    if args.list:
        for n, s in statements.items():
            print(f"{n} {s.family}, {s.bytes() / 2 ** 20:.0f} MiB: {s.text()}\n    {s.shapes()}")
        return 0
    if args.device == "cuda" and not args.compile_only and not has_gpu():
        print("skipped on the GPU: there is none")
        return 77
    run = Run(args, statements)
    if args.compile_only:
        _, refused = run.programs.linked()
        for n, why in refused.items():
            print(f"case {n} ({statements[n].family}): {why}\n    {statements[n].text()}\n    {statements[n].shapes()}")
        print(f"{len(statements)} statements, {len(refused)} refused, {run.seconds():.0f} s")
        return 1 if refused else 0
    try:
        return run.measure()
    finally:
        for process in run.workers:
            process.close()

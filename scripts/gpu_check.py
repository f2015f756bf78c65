#!/usr/bin/env python3
"""Everything that needs a GPU, in one call: build, tests on both devices, compute-sanitizer, benchmarks.

Goes on after a step that fails, ends with one table, and returns non-zero if any step failed. Needs no
network. All output goes to gpu-check.log in the output folder, with the benchmarks' files.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
BIN = REPO / "build" / "release" / "bin"
SANITIZERS = ["memcheck", "racecheck", "initcheck"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", default=str(REPO / "build" / "gpu-check"))
    parser.add_argument("--steps", default="build,tests," + ",".join(SANITIZERS) + ",bench",
                        help="which steps, by name; default: %(default)s")
    args = parser.parse_args()
    out = Path(args.out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    log = open(out / "gpu-check.log", "w+", errors="replace")
    wanted, table = args.steps.split(","), []

    def say(text):
        print(text, flush=True)
        log.write(text + "\n")
        log.flush()

    def run(command):
        """The exit code and the output, which is in the log as it comes."""
        log.write("$ " + " ".join(command) + "\n")
        log.flush()
        begin = log.tell()
        try:
            code = subprocess.run(command, cwd=REPO, stdout=log, stderr=subprocess.STDOUT).returncode
        except OSError as error:
            log.write(f"{error}\n")
            code = 127
        log.seek(begin)
        return code, log.read()

    def step(name, *commands, note=lambda text: ""):
        if name not in wanted:
            return
        say(f"== {name}")
        begin, code, text = time.time(), 0, ""
        for command in commands:
            code, output = run([str(word) for word in command])
            text += output
            if code:
                print("\n".join(output.splitlines()[-40:]), flush=True)
                break
        remark = note(text)
        ok = code == 0 and not remark.startswith("0 ")  # no test at all is no success
        table.append((name, "pass" if ok else "FAIL", time.time() - begin, remark))

    def ctest_note(text):
        found = re.search(r"(\d+) tests failed out of (\d+)", text)
        skipped = len(re.findall(r"\*\*\*Skipped", text))
        return f"{found[2]} tests, {found[1]} failed, {skipped} skipped" if found else ""

    def sanitizer_note(text):
        cases = re.search(r"test cases:\s*(\d+)", text)
        found = re.search(r"ERROR SUMMARY:.*|RACECHECK SUMMARY:.*", text)
        return f"{cases[1] if cases else 0} test cases; {found[0] if found else ''}"

    def bench_note(text):
        table = text.rstrip().split("\n\n")[-1]
        print(table, flush=True)
        return "targets: " + table.splitlines()[-1] if table else ""

    step("build",
         ["cmake", "--preset", "release", "-DWEFT_CUDA_CHECK_ONLY=OFF", "-DWEFT_TEST_MERGE=1"],
         ["cmake", "--build", "--preset", "release", "--parallel", args.jobs],
         [BIN / "on_gpu"])  # without a GPU all the rest would be skipped and look fine
    step("tests", ["ctest", "--preset", "release", "--parallel", min(args.jobs, 8)], note=ctest_note)
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    for tool in SANITIZERS:
        # initcheck does not see what bulk copies write, and scans in waves write by them.
        exclude = ["--test-case-exclude=*in waves*"] if tool == "initcheck" else []
        step(tool, [sanitizer, "--tool", tool, "--error-exitcode", "1",
                    BIN / "weft_tests_cuda", "--test-case=*[sanitize]*", *exclude],
             note=sanitizer_note)
    step("bench", [sys.executable, REPO / "bench" / "run.py", "--out", out],
         note=bench_note)

    say(f"\n{'step':12}{'result':8}{'seconds':>8}  note")
    for name, result, seconds, note in table:
        say(f"{name:12}{result:8}{seconds:8.0f}  {note}".rstrip())
    failed = sum(result == "FAIL" for _, result, _, _ in table)
    say(f"{len(table) - failed} passed, {failed} failed; log: {out / 'gpu-check.log'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

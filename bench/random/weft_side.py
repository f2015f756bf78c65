"""weft's side: a source file for each statement, compiled beside each other, and the program of them."""
import concurrent.futures
import os
import re
import shutil
import subprocess
from pathlib import Path

from expressions import ALONG, REDUCTIONS, SCANS, TYPES, VIEWS

HERE = Path(__file__).resolve().parent
INCLUDE = HERE.parent.parent / "include"


def includes(statement, device):
    found = []
    if statement.uses(["roll", "repeat_interleave", "tile"]):
        found.append("weft/arrays.hpp")
    if statement.backward:
        found.append("weft/autograd.hpp")
    if device == "cuda":
        reduced = [*REDUCTIONS, *(op for op in ALONG if op not in ("take", "gather", "cat", "stack"))]
        if statement.backward:
            found.append("weft/cuda/gradient.hpp")
        if statement.backward or statement.uses(reduced):
            found.append("weft/cuda/reduce.hpp")
        if statement.uses(SCANS):
            found.append("weft/cuda/scan/scan.hpp")
    return found


def source(statement, number, seed, device):
    """The file of one statement."""
    made = {name for name, _ in statement.made()}
    fields, starts = [], []
    learned = {x.more["name"] for x in statement.learned()} if statement.backward else ()
    for k, x in enumerate(statement.operands):
        name, type = x.more["name"], TYPES[x.type][1]
        shape = ", ".join(map(str, x.shape))
        start = (f"bench::input<{type}>({{{shape}}}, seed + {k}, bench::Kind::{x.more['kind']}"
                 f"{', ' + str(x.more['bound']) if x.more['bound'] else ''})")
        variable = name in learned
        fields.append(f"  {'Variable' if variable else 'bench::Dense'}<{type}> {name};")
        starts.append(f"{name}({'parameter(' + start + ')' if variable else start})")
    views = [e.op in VIEWS for _, e in statement.results]
    for name, e in statement.results:
        if name not in made:
            continue
        fields.append(f"  bench::Dense<{TYPES[e.type][1]}> {name};")
        if len(statement.results) > 1 or views[0]:  # written in place
            shape = ", ".join(map(str, e.shape))
            starts.append(f"{name}(empty<{TYPES[e.type][1]}>({{{shape}}}, bench::Device{{}}))")
    lets = [f"    const auto {name} = {e};" for name, e in statement.lines("weft")]
    values = statement.values("weft")
    names = [name for name, _ in statement.results]
    checked = [f"bench::result({name})" for name in names]
    if statement.backward:
        e, type = statement.results[0][1], TYPES[statement.results[0][1].type][1]
        shape = ", ".join(map(str, e.shape))
        fields.append(f"  bench::Dense<{type}> upstream;")
        starts.append(f"upstream(bench::input<{type}>({{{shape}}}, seed + {len(statement.operands)}, "
                      "bench::Kind::centred))")
        run = [f"    {x}.zero_grad();" for x in learned]
        run += [*lets, f"    const Var result = {values[0]};", f"    {names[0]} = result.detach();",
                "    result.backward(upstream);"]
        checked += [f"bench::result({x.more['name']}.grad())" for x in statement.learned()]
        explained = f"to_string(explain_backward({values[0]}))"
    elif len(names) > 1:
        fused = f"fuse({', '.join(values)})"
        run = [*lets, f"    tie({', '.join(names)}) = {fused};"]
        explained = f"to_string(explain({fused}))"
    else:
        run = [*lets, f"    {names[0]}.assign({values[0]});" if views[0] else f"    {names[0]} = {values[0]};"]
        explained = f"to_string(explain({values[0]}))"
    headers = "\n".join(f'#include "{name}"' for name in includes(statement, device))
    newline = "\n"
    return f"""// Case {number} of seed {seed}, {statement.family}; written by bench/random.py.
#include "case.hpp"

#include <vector>

{headers}
#if defined(WEFT_BENCH_EXPLAIN)
#include "weft/explain.hpp"
{'#include "weft/autograd/explain.hpp"' if statement.backward else ''}
#endif

using namespace weft;

namespace {{

{'template <class T>' + newline + 'using Variable = Var<T, bench::Device>;' + newline if statement.backward else ''}
struct Statement final : bench::Work {{
{newline.join(fields)}

  explicit Statement([[maybe_unused]] unsigned seed) : {(',' + newline + '        ').join(starts)} {{}}
#if defined(WEFT_BENCH_EXPLAIN)
  void run() override {{}}
  std::vector<bench::Result> results() const override {{ return {{}}; }}
  std::string explained() const override {{
{newline.join(lets)}
    return std::string(({explained}).c_str());
  }}
#else
  void run() override {{
{newline.join(run)}
  }}
  std::vector<bench::Result> results() const override {{
    return {{{', '.join(checked)}}};
  }}
#endif
}};

const bench::Added<Statement> added({number});

}}  // namespace
"""


class Compiler:
    """The commands for one device; `arch` is nvcc's or g++'s."""

    def __init__(self, device, arch, folder, seconds=90, traced=False):
        self.device, self.folder, self.seconds, self.traced = device, Path(folder), seconds, traced
        self.suffix = ".cu" if device == "cuda" else ".cpp"
        if device == "cuda":
            nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
            self.command = [nvcc, "-std=c++20", "-O2", f"-arch={arch}", "-x", "cu"]
            self.linker = [nvcc, f"-arch={arch}"]
        else:
            compiler = os.environ.get("CXX") or shutil.which("g++") or "c++"
            self.command = [compiler, "-std=c++20", "-O3", f"-march={arch}"]
            self.linker = [compiler]
        self.command += ["-I", str(INCLUDE), "-I", str(HERE)]

    def compile(self, path, *flags):
        """The object file, or None and why: the first line of the compiler's that names an error."""
        made = path.with_suffix(".explain.o" if flags else ".o")
        command = ["nice", "-n", "5", *self.command, *flags, "-c", str(path), "-o", str(made)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=self.seconds)
        except subprocess.TimeoutExpired:
            return None, f"the compiler took longer than {self.seconds} s"
        path.with_suffix(".log").write_text(done.stdout + done.stderr)
        if done.returncode == 0:
            return made, ""
        lines = (done.stdout + done.stderr).splitlines()
        return None, next((re.sub(r"^.*?error:? *(static assertion failed( with)?:? *)?", "", line).strip('" ')
                           for line in lines if "error" in line), f"exit code {done.returncode}")

    def link(self, objects, program):
        done = subprocess.run([*self.linker, *map(str, objects), "-o", str(program)], capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError("the program cannot be linked: " + (done.stdout + done.stderr).strip()[:500])
        return program


class Programs:
    """Compiles in the background from the moment it is made."""

    def __init__(self, compiler, statements, seed, jobs):
        self.compiler, self.jobs = compiler, jobs
        self.paths = {}
        for number, statement in statements.items():
            path = self.paths[number] = compiler.folder / f"case_{number:04}{compiler.suffix}"
            path.write_text(source(statement, number, seed, compiler.device))
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)
        self.main = self.pool.submit(self._driver)
        self.waiting = {n: self.pool.submit(compiler.compile, path) for n, path in self.paths.items()}

    def _driver(self):
        path = self.compiler.folder / f"main{self.compiler.suffix}"
        track = '#include "weft/track.hpp"\n' * self.compiler.traced  # it heeds WEFT_TRACE
        path.write_text('#include "driver.cpp"\n' + track)
        return self.compiler.compile(path)

    def linked(self):
        """The program with all that compiled, and {number: error} of the rest."""
        built = {n: future.result() for n, future in self.waiting.items()}
        main, error = self.main.result()
        if main is None:
            raise RuntimeError(f"driver.cpp does not compile: {error}")
        objects = [path for path, _ in built.values() if path]
        program = self.compiler.link([main, *objects], self.compiler.folder / "statements")
        return program, {n: error for n, (path, error) in built.items() if not path}

    def explaining(self, numbers):
        """A program that explains some statements."""
        waiting = {n: self.pool.submit(self.compiler.compile, self.paths[n], "-DWEFT_BENCH_EXPLAIN") for n in numbers}
        built = {n: future.result() for n, future in waiting.items()}
        objects = [path for path, _ in built.values() if path]
        return self.compiler.link([self.main.result()[0], *objects], self.compiler.folder / "explained"), \
            {n: error for n, (path, error) in built.items() if not path}

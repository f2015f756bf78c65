#!/usr/bin/env python3
"""Writes docs/03_operations.md, the list of all operations, from the headers; --check compares only.

Element-wise operations come from their table lines (WEFT_UNARY and so on) and from the structs in
weft::op, reductions from the functions in ops/reduce/reduce.hpp, the rest from the function declarations and
the `///` sentence before each.
"""
import difflib
import re
import sys
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
WEFT = REPO / "include" / "weft"
PAGE = REPO / "docs" / "03_operations.md"

DOMAINS = [("Any", "every element type"), ("Numeric", "every type but bool"),
           ("Ordered", "every type but complex"), ("Real", "integers and floating point"),
           ("Floating", "float, double, half, bfloat16"),
           ("FloatingOrComplex", "floating point and complex"), ("Complex", "complex"),
           ("Integer", "integers"), ("IntegerOrBool", "integers and bool"), ("Bool", "bool")]

HEAD = """# All operations

This page is made by `scripts/list_operations.py` from the headers; CI checks that it is up to date.
All operations run on the CPU and on CUDA alike. On CUDA those built on CUB have headers of their own:
`weft/cuda/reduce.hpp`, and `weft/cuda/algorithms.hpp` for scans, order, selection and counts; matrix
products, which need cuBLASLt, are in `weft/cuda/matmul.hpp`.

`[name]` is an argument with a default. A function that makes a tensor takes the element type in angle
brackets, as in `zeros<half>({2, 3})`; it is float unless the arguments tell.

Element types: `bool`, `int8_t` to `int64_t`, `uint8_t` to `uint64_t`, `weft::half`,
`weft::bfloat16`, `float`, `double`, `weft::complex<float>`, `weft::complex<double>`.
"""


def text_of(header):
    return (WEFT / header).read_text()


def arguments(call):
    """The arguments of a macro call, split at its own commas."""
    parts, depth, current = [], 0, ""
    for c in call:
        depth += (c in "(<{[") - (c in ")>}]") if c not in "<>" else 0
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return [*parts, current.strip()]


OVERLOADS = {"complex": 1, "dual": 2}  # read after the headers that they overload, in this order


def meanings():
    """The first sentence before each function of weft::math; complex.hpp and dual.hpp have overloads."""
    found, named = {}, set()
    for path in sorted((WEFT / "core" / "math").rglob("*.hpp"), key=lambda p: OVERLOADS.get(p.stem, 0)):
        functions_here = re.findall(
            r"((?:^///[^\n]*\n)*)^template <[^\n]*?>\s(?:requires[^\n]*\n)?\s*WEFT_HD (?:constexpr )?[\w<>]+ (\w+)\(",
            path.read_text(), re.M)
        for comment, name in functions_here:
            if comment and not (path.stem in OVERLOADS and name in named):
                found.setdefault(name, sentence(comment))
        named |= {name for _, name in functions_here}
    return found


def element_wise(header, symbols, meaning):
    """(operation, operator, domain, value, derivative) of the operations of a header."""
    text = text_of(header)
    names = {"UNARY": "x", "BINARY": "x, y", "TERNARY": "x, y, z"}
    for kind, call in re.findall(r"^WEFT_(UNARY|BINARY|TERNARY)\((.*)\)(?: *//.*)?$", text, re.M):
        name, domain, value, *derivatives = arguments(call)
        function = re.fullmatch(r"math::(\w+)\([xyz, ]+\)", value)
        shown = "" if symbols.get(name, "") == f"`{value}`" else f"`{value.replace('math::', '')}`"
        if function:
            same = function[1].replace("_", "") == name.replace("_", "").replace("bitwise", "bit")
            shown = meaning.get(function[1], "" if same else f"as `{function[1]}`")
        if name in ("add", "sub", "mul", "neg"):
            shown = "integers wrap"
        yield (f"`{name}({names[kind]})`", symbols.get(name, ""), f"`{domain}`", shown,
               "" if all(d == "none" for d in derivatives) else "yes")
    for comment, name, body in re.findall(
            r"((?:^///[^\n]*\n)+)(?:^template[^\n]*\n)?^struct (\w+) \{\n(.*?)^\};", text, re.M | re.S):
        called = "map" if name == "mapped" else name
        domain = re.search(r"using domain = (\w+)", body)
        function = re.search(rf"^(?:constexpr )?auto {called}\((.*?)\) \{{", text, re.M | re.S)
        if not domain or not function:
            continue
        derivative = re.search(r"derivative\(.*?^  \}", body, re.M | re.S)
        some = derivative and re.search(r"return (?!none)", derivative[0])
        call = f"{called}{'<To>' if called == 'cast' else ''}({parameters(function[1])})"
        yield f"`{call}`", "", f"`{domain[1]}`", sentence(comment), "yes" if some else ""


def sentence(comment):
    """The first sentence of a `///` comment."""
    text = " ".join(re.sub(r"^ *///<? ?", "", line) for line in comment.splitlines())
    return re.split(r"(?<=[^.][.])\s", text + " ")[0].strip().rstrip(":")


def functions(header):
    """(call, sentence) of the functions that a header declares, those of inner namespaces but random and quaternion left out.
    Without a comment of its own an overload, or one of the _like functions, has the last one's."""
    comment, last, depth, outside = "", ("", ""), 0, None
    lines, seen = text_of(header).splitlines(), set()
    for i, line in enumerate(lines):
        if re.match(r"namespace (?!weft \{|random \{|weft::random \{|weft::quaternion \{)", line) and outside is None:
            outside = depth
        depth += line.count("{") - line.count("}")
        if outside is not None:
            if depth <= outside:
                outside, comment = None, ""
            continue
        if line.startswith("///"):
            comment += line + "\n"
        if not re.match(r"[A-Za-z]", line) or line.startswith(("template", "struct", "namespace", "using", "concept")):
            comment = comment if line.startswith(("///", "template", " ")) else ""
            continue
        joined = line
        while joined.count("(") > joined.count(")"):
            i += 1
            joined += " " + lines[i].strip()
        found = re.match(r"[\w:<>,*& ]+?[ &*](\w+)\((.*?)\) *(?:\{|;|$)", joined)
        if found and not found[1].startswith("operator"):
            name = found[1]
            kin = name == last[0] or (name.endswith("_like") and last[0].endswith("_like"))
            text = sentence(comment) if comment else last[1] if kin else ""
            last = (name, text)
            call = f"{name}({parameters(found[2])})"
            if call not in seen and "initializer_list" not in call:
                seen.add(call)
                yield f"`{call}`", text
        comment = ""


def parameters(text):
    """Parameters as a caller sees them: names, and defaults in brackets."""
    out = []
    for p in arguments(re.sub(r"<[^<>]*(?:<[^<>]*(?:<[^<>]*(?:<[^<>]*>)?[^<>]*>)?[^<>]*>)?[^<>]*>", "", text)):
        if not p:
            continue
        name, _, default = p.partition("=")
        name = re.split(r"[&* ]+", name.strip().replace("...", ""))[-1]
        if default and name in ("", "int64_t", "double"):  # without a name: not used
            continue
        out.append(f"[{name}]" if default else name)
    return ", ".join(out)


def table(head, rows):
    return "\n".join([f"| {' | '.join(head)} |", "|" + "---|" * len(head),
                      *(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |"
                        for row in rows)]) + "\n"


def page():
    symbols = {}
    for header in ("ops/elementwise/binary.hpp", "ops/elementwise/compare.hpp"):
        for symbol, name in re.findall(r"^WEFT_OPERATOR\((\S+),\s*(\w+)\)", text_of(header), re.M):
            symbols[name] = f"`x {symbol} y`"
        for symbol, name in re.findall(r"^WEFT_UPDATE\((\S+),\s*(\w+)\)", text_of(header), re.M):
            symbols[name] += f", `z {symbol} x`"
    symbols |= {"neg": "`-x`", "bitwise_not": "`~x`", "logical_not": "`!x`"}
    out = [HEAD, "## Element-wise\n", "A domain is a set of element types:\n",
           table(["domain", "element types"], [[f"`{n}`", t] for n, t in DOMAINS])]
    meaning = meanings()
    folder = "elementwise/"
    for title, header in (("One operand", "unary"), ("Further activation functions", "activation"),
                          ("Two operands", "binary"),
                          ("Comparison and logic, which give bool", "compare"),
                          ("Three operands", "ternary"), ("More, with weft/special.hpp", "more"),
                          ("Special functions, with weft/special.hpp", "special"), ("Small formats, with weft/low_precision.hpp", "small_format"), ("Conversion and functions of yours", "cast"),
                          ("Closeness", "close")):
        if header == "close":
            folder = ""
        out += [f"### {title}\n", f"`weft/ops/{folder}{header}.hpp`\n",
                table(["operation", "operator", "domain", "value", "derivative"],
                      element_wise(f"ops/{folder}{header}.hpp", symbols, meaning))]
    out += ["## Reductions\n",
            "`weft/ops/reduce/reduce.hpp`; on CUDA include `weft/cuda/reduce.hpp` too. Each takes `axis(...)`, "
            "`keepdims` and, for `var` and `std`, `correction(n)`, in any order; without `axis` all axes "
            "are reduced.\n", table(["reduction", "domain", "result", "of no elements"], reductions())]
    out += ["## Scans\n",
            "`weft/ops/order/scan.hpp`; on CUDA include `weft/cuda/algorithms.hpp` too. Each takes `axis(n)`, which only a "
            "vector can do without, and `deterministic`.\n",
            table(["scan", "domain", "result"], scans())]
    for title, header in (
            ("Matrix products", "ops/linalg/matmul.hpp"), ("Sums over named axes", "ops/linalg/einsum.hpp"),
            ("Linear equations", "ops/linalg/solve.hpp"), ("Triangular systems", "ops/linalg/triangular_solve.hpp"),
            ("Determinants", "ops/linalg/det.hpp"), ("Cholesky", "ops/linalg/cholesky.hpp"), ("LU", "ops/linalg/lu.hpp"),
            ("QR", "ops/linalg/qr.hpp"), ("Singular values", "ops/linalg/svd.hpp"), ("Least squares and ranks", "ops/linalg/lstsq.hpp"),
            ("Eigenvalues of symmetric matrices", "ops/linalg/eigh.hpp"), ("Eigenvalues", "ops/linalg/eig.hpp"),
            ("Norms", "ops/linalg/norms.hpp"), ("Functions of matrices", "ops/linalg/matrix_function.hpp"),
            ("Chains and products of vectors", "ops/linalg/products.hpp"),
            ("Products of small vectors, with weft/small.hpp", "ops/small/products.hpp"),
            ("Functions of small matrices, with weft/small.hpp", "ops/small/matrix.hpp"),
            ("Numbers of small matrices, with weft/small.hpp", "ops/small/components.hpp"),
            ("Quaternions, in `weft::quaternion`", "ops/small/quaternion_value.hpp"),
            ("Convolutions", "ops/conv/conv.hpp"), ("Pooling", "ops/conv/pool.hpp"),
            ("Norms of windows", "ops/conv/lp_pool.hpp"), ("Pooling taken back", "ops/conv/unpool.hpp"), ("Images read by a grid", "ops/conv/grid_sample.hpp"),
            ("Images of another size", "ops/conv/resample.hpp"), ("Columns", "ops/conv/fold.hpp"), ("Memory formats", "ops/conv/memory_format.hpp"),
            ("Formulas over rows", "ops/compose.hpp"), ("Gates", "ops/gates.hpp"), ("Order", "ops/order/sort.hpp"), ("Selection", "ops/order/select.hpp"), ("Distinct elements", "ops/order/unique.hpp"),
            ("Search", "ops/order/search.hpp"), ("Counts", "ops/order/histogram.hpp"),
            ("Orthogonal polynomials, with weft/special.hpp", "ops/elementwise/polynomials.hpp"),
            ("Places and parts, with weft/special.hpp", "ops/elementwise/parts.hpp"),
            ("Quantiles, with weft/statistics.hpp", "ops/statistics/quantile.hpp"),
            ("Moments, with weft/statistics.hpp", "ops/statistics/moments.hpp"),
            ("NaN left out, with weft/statistics.hpp", "ops/statistics/nan.hpp"),
            ("Order by keys, with weft/statistics.hpp", "ops/statistics/order.hpp"),
            ("Sets, with weft/statistics.hpp", "ops/statistics/sets.hpp"),
            ("Along an axis, with weft/statistics.hpp", "ops/statistics/differences.hpp"),
            ("Counts between edges, with weft/statistics.hpp", "ops/statistics/counting.hpp"),
            ("Making tensors", "tensor/factory.hpp"), ("From positions", "ops/elementwise/generate.hpp"),
            ("Picked by indices", "ops/index/gather.hpp"), ("Written by indices, in place", "ops/index/scatter.hpp"),
            ("Borders", "ops/shape/pad.hpp"), ("Borders of a tensor's own values", "ops/shape/pad_values.hpp"), ("Moved along axes", "ops/shape/roll.hpp"), ("Repeated", "ops/shape/repeat.hpp"),
            ("Axes", "ops/shape/axes.hpp"), ("Cut into pieces", "ops/shape/pieces.hpp"), ("Joined", "ops/join.hpp"),
            ("Joined, by shorter names", "ops/shape/stack.hpp"), ("Grids", "ops/shape/grid.hpp"), ("The same memory seen otherwise", "ops/shape/strided.hpp"),
            ("Triangles, and elements by their place", "ops/shape/triangle.hpp"), ("Diagonals", "ops/shape/diagonal.hpp"),
            ("Parts added, left out, replaced", "ops/shape/edit.hpp"), ("Chosen by conditions", "ops/shape/choose.hpp"),
            ("An index for each axis", "ops/index/several.hpp"), ("Joined where indices say, in place", "ops/index/scatter_reduce.hpp"),
            ("Spaced by factors", "ops/elementwise/spaced.hpp"), ("From containers of containers", "tensor/nested.hpp"),
            ("Random numbers", "ops/random/random.hpp"), ("Random order", "ops/random/permutation.hpp"),
            ("Distributions, in `weft::random`", "ops/random/distributions.hpp"),
            ("Draws among weights, in `weft::random`", "ops/random/categorical.hpp"),
            ("Fourier transforms", "ops/signal/fft.hpp"), ("Frequencies", "ops/signal/shift.hpp"),
            ("Windows", "ops/signal/window.hpp"), ("Convolution of signals", "ops/signal/convolve.hpp"),
            ("Spectra over time", "ops/signal/stft.hpp"), ("Another rate", "ops/signal/resample.hpp"),
            ("Sparse matrices", "ops/sparse/csr.hpp"), ("Sparse triplets", "ops/sparse/coo.hpp"),
            ("Sparse matrices to start from", "ops/sparse/make.hpp"), ("Sparse conversions", "ops/sparse/convert.hpp"),
            ("Sparse products", "ops/sparse/product.hpp"), ("Sums of sparse matrices", "ops/sparse/arithmetic.hpp"),
            ("Over sparse rows", "ops/sparse/rows.hpp"),
            ("One value in a formula", "eval/let.hpp"), ("Several in one pass", "ops/fuse.hpp"), ("Agreement", "ops/close.hpp"), ("Files", "io/npy.hpp"), ("Named tensors in files", "io/safetensors.hpp"),
            ("NumPy archives", "io/npz.hpp"),
            ("Printing", "tensor/print.hpp")):
        out += [f"## {title}\n", f"`weft/{header}`\n", table(["function", ""], functions(header))]
    out += ["## Members of Tensor\n", "`weft/tensor/tensor.hpp`\n",
            table(["member", ""], members())]
    return "\n".join(out)


def reductions():
    """A row for each function of ops/reduce/reduce.hpp, from the reducer that it names, and for each line
    of the reducers' table."""
    structs = {}
    for path in sorted((WEFT / "ops").rglob("*.hpp")):
        for name, base, body in re.findall(r"^struct (\w+)(?: : (\w+)[^{]*)? \{(?:\};|\n(.*?)^\};)", path.read_text(),
                                           re.M | re.S):
            structs.setdefault(name, structs.get(base, "") + body)
    results = {"widened<T>": "T; integers as (u)int64, bool as int64", "mean_of<T>": "T; integers as double",
               "T": "T", "bool": "bool", "std::int64_t": "int64", "real_t<T>": "the real type of T"}
    empty = {"sum": "0", "prod": "1", "mean": "NaN", "var": "NaN", "std": "NaN", "stddev": "NaN", "any": "false",
             "all": "true", "count_nonzero": "0", "norm": "0", "norm_p": "0", "logsumexp": "-infinity"}
    for name, reducer in re.findall(r"^auto (\w+)\(X&& x.*?reducer::(\w+)", text_of("ops/reduce/reduce.hpp"), re.M | re.S):
        body = structs[reducer]
        domain = re.search(r"using domain = op::(\w+)", body)[1]
        result = re.search(r"using result = ([^;]+);", body)[1]
        if "Index" in result:
            result = "std::int64_t" if name.startswith("arg") else "T"
        identity = "has_identity = true" in body
        shown = f"{name}(x{', p' if name == 'norm_p' else ''}, ...)"
        yield [f"`{shown}`", f"`{domain}`", results[result],
               empty[name] if identity else "throws"]
    for name, domain, result in re.findall(r"^WEFT_REDUCTION\((\w+),\s+(\w+),\s+([^,]+),",
                                           text_of("ops/reduce/reducers.hpp"), re.M):
        yield [f"`{name}(x, ...)`", f"`{domain}`", results[result], empty[name]]


def scans():
    """A row for each function of ops/order/scan.hpp, from the scanner that it names."""
    structs = dict(re.findall(r"^struct (\w+)(?: : [^{]*)? \{\n(.*?)^\};", text_of("ops/order/scanners.hpp"), re.M | re.S))
    for name in re.findall(r"^auto (\w+)\(X&& x, Options", text_of("ops/order/scan.hpp"), re.M):
        body = structs.get(name, structs["running_extremum"])
        result = re.search(r"using result = ([^;]+);", body)[1]
        domain = re.search(r"using domain = op::(\w+)", body)[1]
        yield [f"`{name}(x, ...)`", f"`{domain}`",
               "T; integers as (u)int64, bool as int64" if "widened" in result else "T"]


def members():
    """The public members of Tensor."""
    text = text_of("tensor/tensor.hpp").split(" private:")[0]
    comment, seen = "", set()
    for line in text.splitlines():
        if line.startswith("  ///"):
            comment += line.strip() + "\n"
            continue
        found = re.match(r"  (?:template <class X> )?(?:static constexpr |const |std::vector<)?[\w<>]+(?:<[^()]*>)?[&*]? "
                         r"(operator\(\)|operator[^\w\s(]+|\w+)\((.*?)(?:\)|$)", line)
        name = found[1] if found else "Tensor"
        if name not in ("Tensor", "value_type", "operator=") and "= delete" not in line:
            call = f"z.{name}({parameters(found[2])})"
            if name == "operator()":
                call = "z(a, b, ...)"
            elif name == "operator[]":
                call = "z[index]"
            elif name.startswith("operator"):
                call = f"z {name.removeprefix('operator')} x"
            if call not in seen and "initializer_list" not in call:
                seen.add(call)
                yield f"`{call}`", sentence(comment)
        if found or not line.startswith(("  template", "    requires")):
            comment = ""


def main():
    new = page()
    if "--check" in sys.argv[1:]:
        old = PAGE.read_text() if PAGE.exists() else ""
        sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True),
                                                   "docs/03_operations.md", "from the headers"))
        print("operations: up to date" if old == new else
              "operations: docs/03_operations.md is out of date, run scripts/list_operations.py")
        return 0 if old == new else 1
    PAGE.write_text(new)
    print(f"{PAGE.relative_to(REPO)}: {new.count(chr(10))} lines")
    return 0


if __name__ == "__main__":
    sys.exit(main())

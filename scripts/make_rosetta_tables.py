#!/usr/bin/env python3
"""Writes docs/04_rosetta_numpy.md and docs/04_rosetta_pytorch.md: every function of NumPy and PyTorch, and weft's.

scripts/rosetta/names.txt has the names, taken from the packages themselves (--names, which needs both
installed); scripts/rosetta/weft.txt says for each what weft calls it, or why it is not there. Every name
must have its line, every line its name, and what a line calls must stand in weft's headers. --check
compares only.
"""
import argparse
import difflib
import inspect
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import list_operations  # noqa: E402

REPO = Path(__file__).resolve().parent.parent
WEFT = REPO / "include" / "weft"
NAMES = REPO / "scripts" / "rosetta" / "names.txt"
MAPPING = REPO / "scripts" / "rosetta" / "weft.txt"

SECTIONS = {  # of the pages, each with the package that a name is looked up in
    "numpy": ["numpy", "numpy.linalg", "numpy.fft", "numpy.random.Generator", "numpy.ndarray"],
    "pytorch": ["torch", "torch.Tensor", "torch.linalg", "torch.fft", "torch.special", "torch.nn.functional"]}
WORDS = {"if", "for", "return", "auto", "const", "sizeof"}  # of C++, before a bracket

HEAD = """# Every function of {title}

{there} of the {all} functions of {title} {version} have a spelling in weft; the others say why they have none.
{rules}
[The tables by subject](04_rosetta.md) show whole statements of both, and [all operations](03_operations.md) what
each function takes.

This page is made by `scripts/make_rosetta_tables.py` from the names in the package and the list in
`scripts/rosetta/weft.txt`; CI checks that each name has its line and that what it calls is in weft's headers.
"""
RULES = {
    "numpy": "`x`, `y` are tensors, Vars or expressions; what is written in brackets has a default.",
    "pytorch": "`x`, `y` are tensors, Vars or expressions; what is written in brackets has a default. Listed is what is\n"
               "documented, without names that end in `_` and have a counterpart: in weft `x = exp(x)` takes x's\n"
               "memory where nobody else holds it, and `x.assign(exp(x))` writes to it in any case."}


def introspect():
    """The public, documented functions of the installed packages."""
    import numpy as np
    import torch

    def public(place, names):
        return sorted(n for n in names if not n.startswith("_") and callable(getattr(place, n)) and
                      not inspect.isclass(getattr(place, n)) and (getattr(place, n).__doc__ or "").strip())

    def without_in_place(names, others):
        return [n for n in names if not (n.endswith("_") and n[:-1] in others)]

    lines = []
    for section in SECTIONS["numpy"]:
        place = {"numpy.random.Generator": np.random.Generator, "numpy.ndarray": np.ndarray,
                 "numpy.linalg": np.linalg, "numpy.fft": np.fft}.get(section, np)
        names = getattr(place, "__all__", None) or dir(place)
        lines += [f"[{section} {np.__version__}]", *public(place, names)]
    functions = set(public(torch, dir(torch)))
    for section in SECTIONS["pytorch"]:
        place = {"torch.Tensor": torch.Tensor, "torch.linalg": torch.linalg, "torch.fft": torch.fft,
                 "torch.special": torch.special, "torch.nn.functional": torch.nn.functional}.get(section, torch)
        names = public(place, dir(place))
        names = without_in_place(names, set(names) | functions)
        if section == "torch.Tensor":
            names = [n for n in names if n not in functions]
        lines += [f"[{section} {torch.__version__.split('+')[0]}]", *names]
    return "\n".join(lines) + "\n"


def sections_of(text):
    """{section: [line]} of a file with [section] lines."""
    found, lines = {}, []
    for line in text.splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line.strip() and not line.startswith("#"):
            lines.append(line.strip())
    return found


def mapping():
    """{section: {name: (code, note)}}; code None stands for a function of the same name, "" for none."""
    result = {}
    for section, lines in sections_of(MAPPING.read_text()).items():
        here = result.setdefault(section, {})
        for line in lines:
            names, sign, rest = (re.split("( = | - )", line, maxsplit=1) + ["", ""])[:3]
            for name in names.split():
                if name in here:
                    sys.exit(f"{MAPPING.relative_to(REPO)}: {section} {name} has two lines")
                code, _, note = rest.partition("  # ")
                here[name] = (None, "") if not sign else (code, note) if sign == " = " else ("", rest)
    return result


class Headers:
    """What the headers declare."""

    def __init__(self):
        self.calls = {}  # the first way to call a function, by its name
        for cell in re.findall(r"^\| `([^`]+)` \|", list_operations.page(), re.M):
            name = re.match(r"(?:z\.)?(\w+)", cell)[1]
            self.calls.setdefault(("z." if cell.startswith("z.") else "") + name, cell)
        text = "\n".join(p.read_text() for p in sorted(WEFT.rglob("*.hpp")))
        self.declared = set(re.findall(r"[\w>&*\])] (\w+)\(", text)) | set(
            re.findall(r"\b(?:struct|class|using|concept|constexpr bool) (\w+)", text))
        members = (WEFT / "tensor/tensor.hpp", WEFT / "autograd/var.hpp", WEFT / "core/random/generator.hpp")
        self.members = set(re.findall(r"[\w>&*] (\w+)\(", "\n".join(p.read_text() for p in members if p.exists())))

    def lacks(self, code):
        """The names that a piece of code calls and the headers do not have."""
        code = re.sub(r'"[^"]*"', '""', code)
        for before, name in re.findall(r"(::|\.|\b)(?<!\w)([A-Za-z_]\w*)(?=[(<{])", code):
            qualified = re.search(rf"\b(nn|optim|random|cuda|io|dist|std|init)::(?:\w+::)*{name}\b", code)
            if name in WORDS or (qualified and qualified[1] == "std"):
                continue
            if before == ".":
                good = name in self.members or name in self.declared
            elif qualified:
                good = name in self.declared
            else:
                good = name in self.calls or name in self.declared
            if not good:
                yield name


def cell(code, note):
    text = ", ".join(f"`{part}`" for part in code.split("; ")) if code else "not there"
    text += (", " if code else ": ") + note if note else ""
    return text.replace("|", "\\|")


def page(kind, title, names, table, headers, problems):
    """The page of a package; problems are appended."""
    rows, there, total, version = [], 0, 0, ""
    for section, listed in names.items():
        section, of = section.split()
        if section not in SECTIONS[kind]:
            continue
        version = of
        known = table.get(section, {})
        for name in sorted(set(known) - set(listed)):
            problems.append(f"{section} has no {name}")
        rows += [f"\n## {section}\n", f"| {section.split('.')[0]} | weft |", "|---|---|"]
        for name in listed:
            if name not in known:
                problems.append(f"{section}.{name} has no line")
                continue
            code, note = known[name]
            if code is None:
                code = headers.calls.get(name)
                if not code:
                    problems.append(f"{section}.{name}: weft has no function of this name")
                    continue
            problems += [f"{section}.{name}: {lacking} is not in the headers" for lacking in headers.lacks(code)]
            total += 1
            there += bool(code)
            rows.append(f"| `{name}` | {cell(code, note)} |")
    head = HEAD.format(title=title, version=version, rules=RULES[kind], there=there, all=total)
    return head + "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the pages, write nothing")
    parser.add_argument("--names", action="store_true", help="take the names anew from the installed packages")
    args = parser.parse_args()
    if args.names:
        NAMES.write_text(introspect())
    problems, headers, table, names = [], Headers(), mapping(), sections_of(NAMES.read_text())
    for kind, title in (("numpy", "NumPy"), ("pytorch", "PyTorch")):
        new = page(kind, title, names, table, headers, problems)
        path = REPO / "docs" / f"04_rosetta_{kind}.md"
        old = path.read_text() if path.exists() else ""
        if args.check and new != old:
            sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), path.name, "from the lists"))
            problems.append(f"{path.name} is out of date, run scripts/make_rosetta_tables.py")
        elif not args.check:
            path.write_text(new)
        print(f"rosetta: {path.name}, {new.count(chr(10))} lines")
    for problem in problems:
        print(problem)
    print(f"rosetta: {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Writes the reference, a page of Markdown for each folder of include/weft, from the `///` comments.

make_reference.py FOLDER. What has such a comment and is not in a namespace `detail` or private is
listed with its declaration; of options and other plain structs also the members with `///<`. The
headers are formatted by clang-format, which makes a parser of lines enough.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

REPO = Path(__file__).resolve().parent.parent
WEFT = REPO / "include" / "weft"
DROPPED = re.compile(r"\[\[.*?\]\]|\b(?:WEFT_HD|WEFT_INLINE|WEFT_FEW_STEPS|inline|explicit|friend)\b")
NAMES = {  # of the first folders; what is not listed is what a user seldom needs to look at
    "": "Umbrella headers", "core": "Core: devices, element types, shapes, errors",
    "tensor": "Tensors", "ops": "Operations", "eval": "Evaluation", "cpu": "The CPU", "cuda": "CUDA",
    "autograd": "Gradients", "nn": "Networks", "optim": "Optimizers", "data": "Data sets",
    "io": "Files and other libraries", "track": "Tracking a run", "dist": "Several processes"}


class Entry:
    def __init__(self, scope, name, declaration, text):
        self.scope, self.name, self.declarations, self.text = scope, name, [declaration], text
        self.fields = []


def blank(line):
    """The line without comments, strings and characters, so that its brackets can be counted."""
    line = re.sub(r"'(?:\\.|[^'\\])'", "''", line)
    line = re.sub(r'"(?:\\.|[^"\\])*"', '""', line)
    return re.sub(r"//.*", "", line)


def scope_of(statement):
    """What the `{` after this statement opens: (kind, name)."""
    namespace = re.search(r"\bnamespace\s+([\w:]*)\s*$", statement)
    if namespace:
        return "namespace", namespace[1]
    kind = re.search(r"(?:^|[>\s)])(class|struct|union|enum class|enum)\s+(?:\[\[.*?\]\]\s*)?([\w:]+(?:<[^{]*>)?)"
                     r"\s*(?:final\s*)?(?::[^:].*)?$", statement)
    if kind and "(" not in statement[kind.start(2):].split(":")[0]:
        return kind[1].split()[0], kind[2]
    return "body", ""


def declaration_at(lines, i):
    """The declaration that begins at line i, on one line and without its body."""
    text, depth = "", 0
    for line in lines[i:i + 40]:
        for c in blank(line) + " ":
            if depth == 0 and c in ";{":
                text = text.rstrip()
                # What follows `)` and one colon are a constructor's initialisers.
                text = re.sub(r"\)( noexcept)? : .*$", r")\1", text)
                return " ".join(DROPPED.sub(" ", text).split())
            depth += (c in "([") - (c in ")]")
            text += c
        if line.lstrip().startswith("#"):
            return " ".join(text.replace("\\", "").split())
    return " ".join(text.split())


def name_of(declaration):
    for pattern in (r"^#define (\w+)", r"^(?:template <.*> )?(?:requires.*?\)? )?(?:class|struct|union|enum class|enum) ([\w:]+)",
                    r"\bconcept (\w+)", r"^using (\w+)", r"\busing (\w+) =", r"\b(operator ?(?:\(\)|\[\]|[^\s(\w]+|\w+))\s*\(",
                    r"(~?\w+)\s*\(", r"(\w+)(?:<[^=]*>)? ?(?:=|$)"):
        found = re.search(pattern, declaration)
        if found:
            return found[1]
    return declaration


def entries_of(path):
    lines = path.read_text().splitlines()
    scopes, statement, entries, comment, table = [], "", [], [], []
    for i, line in enumerate(lines):
        stripped = line.strip()
        public = all(s[0] != "body" and s[2] == "public" and "detail" not in s[1] for s in scopes)
        if stripped.startswith("///") and not stripped.startswith("///<"):
            comment.append(stripped[3:].strip())
            continue
        made = re.match(r"WEFT_(UNARY|BINARY|TERNARY)\((\w+),", line)
        if made:
            table.append(made[2])
        if comment and stripped and not stripped.startswith("//"):
            if public and not made and not stripped.startswith(("#if", "#pragma")):
                declaration = declaration_at(lines, i)
                scope = "::".join(re.sub(r"<.*", "", s[1]) for s in scopes if s[0] != "namespace")
                entries.append(Entry(scope, name_of(declaration), declaration, " ".join(comment)))
            comment = []
        field = re.match(r"\s+(\S.*?);?,?\s*///< (.*)", line)
        if field and public and scopes and scopes[-1][0] in ("struct", "class", "enum"):
            owner = re.sub(r"<.*", "", scopes[-1][1])
            more = [l.strip()[5:] for l in lines[i + 1:i + 4]]
            text = field[2]
            for extra, following in zip(more, lines[i + 1:i + 4]):
                if not following.strip().startswith("///<"):
                    break
                text += " " + extra
            for entry in reversed(entries):
                if entry.name == owner:
                    entry.fields.append((" ".join(field[1].rstrip(",;").split()), text))
                    break
            else:
                entries.append(Entry("", owner, f"{scopes[-1][0]} {owner}", ""))
                entries[-1].fields.append((" ".join(field[1].rstrip(",;").split()), text))
        code = blank(line)
        if code.lstrip().startswith("#"):
            continue
        access = re.match(r"\s*(public|private|protected):", code)
        if access and scopes:
            scopes[-1] = (*scopes[-1][:2], access[1])
            continue
        for c in code:
            if c == "{":
                kind, name = scope_of(" ".join(statement.split()))
                scopes.append((kind, name, "private" if kind == "class" else "public"))
                statement = ""
            elif c == "}":
                if not scopes:
                    sys.exit(f"{path}:{i + 1}: a }} too many for this parser")
                scopes.pop()
                statement = ""
            elif c == ";":
                statement = ""
            else:
                statement += c
        statement += " "
    if scopes:
        sys.exit(f"{path}: {len(scopes)} scopes are open at the end for this parser")
    merged = []
    for entry in entries:
        if merged and (merged[-1].name, merged[-1].scope) == (entry.name, entry.scope) and not merged[-1].fields:
            merged[-1].declarations += entry.declarations
            merged[-1].text += "\n\n" + entry.text
        else:
            merged.append(entry)
    return lines[0].removeprefix("//").strip(), merged, table


def escaped(text):
    """Markdown that shows the characters of a comment; what stands in backquotes stays code."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if i % 2 else re.sub(r"([\\*_#\[\]|])", r"\\\1", p).replace("<", "&lt;")
                   for i, p in enumerate(parts))


def page_of(folder, headers):
    title = NAMES.get(folder.split("/")[0], folder)
    out = [f"# {title}" + (f": {folder}" if "/" in folder else ""), ""]
    count = 0
    for path in headers:
        sentence, entries, table = entries_of(path)
        if folder and not entries and not table:
            continue
        out += [f"## {path.relative_to(WEFT.parent)}", "", escaped(sentence), ""]
        if table:
            out += ["By a line each: " + ", ".join(f"`{name}`" for name in table) +
                    "; see [all operations](../docs/03_operations.md).", ""]
        for entry in entries:
            count += 1
            name = f"{entry.scope}::{entry.name}" if entry.scope else entry.name
            out += [f"### {escaped(name)}", "", "```cpp", *entry.declarations, "```", "", escaped(entry.text), ""]
            if entry.fields:
                out += ["| | |", "|---|---|"]
                out += [f"| `{code.replace('|', chr(92) + '|')}` | {escaped(text)} |" for code, text in entry.fields]
                out.append("")
    return "\n".join(out) + "\n", count


def write(folder):
    """Writes the pages into `folder`; gives (title, file name) of each."""
    folder.mkdir(parents=True, exist_ok=True)
    rooms = defaultdict(list)
    for path in sorted(WEFT.rglob("*.hpp")):
        rooms[path.parent.relative_to(WEFT).as_posix()].append(path)
    order = list(NAMES)
    pages, total = [], 0
    for room in sorted(rooms, key=lambda r: (order.index(first) if (first := r.split("/")[0].replace(".", "")) in order
                                             else len(order), r)):
        key = "" if room == "." else room
        text, count = page_of(key, rooms[room])
        if count == 0 and "By a line each" not in text and key:
            continue
        name = (key.replace("/", "_") or "umbrella") + ".md"
        (folder / name).write_text(text)
        pages.append((f"weft/{key}" if key else "weft", name))
        total += count
    return pages, total


if __name__ == "__main__":
    pages, total = write(Path(sys.argv[1]))
    print(f"reference: {len(pages)} pages, {total} entries")

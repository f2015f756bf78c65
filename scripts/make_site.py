#!/usr/bin/env python3
"""Builds the documentation's site in build/site/html with mkdocs-material (PyPI); warnings are errors.

The source is a copy of README.md, docs/, examples/ and bench/results as they lie in the repository,
so that links between them hold, with a page for each example and for each folder of headers.
"""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import make_reference  # noqa: E402

REPO = Path(__file__).resolve().parent.parent
SITE = REPO / "build" / "site"
EXTRA_CSS = """.md-typeset thead:not(:has(th:not(:empty))) { display: none; }
.md-grid { max-width: 76rem; }
.md-typeset table:not([class]) td code { word-break: normal; overflow-wrap: break-word; }
"""
INTERNAL = ("weft/cpu/", "weft/cuda/", "weft/eval", "weft/core/")


def page(source, target):
    """Copies a page: the words that only scripts/check_docs.py reads go, links to examples become pages."""
    text = source.read_text()
    text = re.sub(r"^( *```\w+)[ \w]+$", r"\1", text, flags=re.M)
    text = re.sub(r"\]\(((?:\.\./)?(?:examples/)?(?:gallery/\w+|\d\d_\w+|digits))\.cpp\)", r"](\1.md)", text)
    text = re.sub(r"\]\((\.\./)?README\.md", r"](\1index.md", text)
    text = re.sub(r"\]\(((?:\.\./)?examples(?:/python)?)/?\)", r"](\1/README.md)", text)
    text = re.sub(r"\]\(((?:\.\./)?examples)/gallery/?\)", r"](\1/README.md#gallery)", text)
    text = re.sub(r"\[([^\]]*)\]\(([\w./-]+)\)",  # other folders of the repository are no pages
                  lambda m: f"`{m[1]}`" if (source.parent / m[2]).is_dir() else m[0], text)
    text = re.sub(r"\]\((\.\./)*include/weft/([\w/]+)/\w+\.hpp\)",  # the page of the header's folder
                  lambda m: f"]({m[1] or ''}reference/{m[2].replace('/', '_')}.md)", text)
    text = re.sub(r"\[([^\]]*)\]\((?:\.\./)*tests/[^)]*\)", r"`\1`", text)  # not on the site
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    return re.search(r"^# (.*)", text, re.M)[1]


def main():
    shutil.rmtree(SITE, ignore_errors=True)
    docs = SITE / "docs"
    nav = {"Home": [{"weft": "index.md"}], "Guide": [], "Examples": [], "Reference": [], "Inside": []}
    page(REPO / "README.md", docs / "index.md")
    for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY", "CODE_OF_CONDUCT"):
        if (REPO / f"{name}.md").exists():
            nav["Home"].append({page(REPO / f"{name}.md", docs / f"{name}.md"): f"{name}.md"})
    shutil.copy(REPO / "LICENSE", docs / "LICENSE")
    for source in sorted((REPO / "docs").rglob("*.md")):
        place = source.relative_to(REPO).as_posix()
        section = "Inside" if "/notes/" in place or "architecture" in place else "Guide"
        nav[section].append({page(source, docs / place): place})
    shutil.copytree(REPO / "docs" / "pictures", docs / "docs" / "pictures")
    shutil.copytree(REPO / "packaging", docs / "packaging", ignore=shutil.ignore_patterns("build", "__pycache__"))
    nav["Home"].append({page(REPO / "packaging/README.md", docs / "packaging/README.md"): "packaging/README.md"})
    shutil.copytree(REPO / "bench" / "results", docs / "bench" / "results")

    place = "examples/README.md"
    if (REPO / place).exists():
        nav["Examples"].append({page(REPO / place, docs / place): place})
    if (REPO / "examples/python/README.md").exists():
        nav["Examples"].append({"From Python": "examples/python/README.md"})
        page(REPO / "examples/python/README.md", docs / "examples/python/README.md")
    for folder in (p for p in sorted((REPO / "examples").iterdir()) if p.is_dir() and p.name not in ("gallery", "data")):
        shutil.copytree(folder, docs / "examples" / folder.name, dirs_exist_ok=True,
                        ignore=shutil.ignore_patterns("*.md", "__pycache__"))
    for source in [*sorted((REPO / "examples").glob("*.cpp")), *sorted((REPO / "examples" / "gallery").glob("*.cpp"))]:
        place = source.relative_to(REPO).with_suffix(".md")
        text = source.read_text()
        sentence = text.splitlines()[0].removeprefix("//").strip()
        (docs / place).parent.mkdir(exist_ok=True)
        (docs / place).write_text(f"# {source.stem}\n\n{sentence}\n\n```cpp\n{text}```\n")
        nav["Examples"].append({source.stem: place.as_posix()})

    pages, entries = make_reference.write(docs / "reference")
    for title, name in pages:
        nav["Inside" if title.startswith(INTERNAL) else "Reference"].append({title: f"reference/{name}"})

    (docs / "extra.css").write_text(EXTRA_CSS)
    lines = [f"INHERIT: {REPO / 'mkdocs.yml'}", "docs_dir: docs", "site_dir: html", "nav:"]
    for section, items in nav.items():
        lines.append(f"  - {section}:")
        for item in items:
            ((title, place),) = item.items()
            lines.append(f"      - {title!r}: {place}" if "'" not in title else f'      - "{title}": {place}')
    (SITE / "mkdocs.yml").write_text("\n".join(lines) + "\n")
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "-f", SITE / "mkdocs.yml"],
                          env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, text=True, capture_output=True)
    print(*(l for l in done.stderr.splitlines() if "INFO" not in l), sep="\n", end="")
    if done.returncode == 0:
        print(f"site: {sum(len(i) for i in nav.values())} pages, {entries} entries of the reference, "
              f"in {(SITE / 'html').relative_to(REPO)}/index.html")
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())

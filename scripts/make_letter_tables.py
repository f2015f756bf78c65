#!/usr/bin/env python3
"""Writes include/weft/data/letters.hpp: Latin, Greek and Cyrillic letters in lower case without
accents, and punctuation, from Python's Unicode data. Run clang-format on the result.
"""
import unicodedata
from pathlib import Path

OUT = Path(__file__).resolve().parent.parent / "include" / "weft" / "data" / "letters.hpp"
LETTERS = [*range(0x80, 0x530), *range(0x1E00, 0x2000)]
SIGNS = [*range(0x80, 0x530), *range(0x2000, 0x2070), *range(0x3000, 0x3100), *range(0xFE10, 0xFF66)]
HEAD = """// Latin, Greek and Cyrillic letters in lower case without accents, and what is punctuation.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// Made by scripts/make_letter_tables.py.
namespace weft::data::detail {

/// A letter and its plain form.
struct PlainLetter {
  std::uint16_t letter;
  std::uint16_t plain;
};
/// Those that have another, in their order.
inline constexpr PlainLetter plain_letters[] = {
"""
MIDDLE = """};

/// The punctuation of these scripts beyond ASCII, from the first to the last.
struct SignRange {
  std::uint16_t first;
  std::uint16_t last;
};
inline constexpr SignRange punctuation[] = {
"""


def plain(letter):
    parts = unicodedata.normalize("NFD", letter)
    text = "".join(c for c in parts if unicodedata.category(c) != "Mn").lower()
    return "".join(c for c in text if unicodedata.category(c) != "Mn")


def main():
    pairs = [(c, plain(chr(c))) for c in LETTERS]
    letters = "".join(f"{{0x{c:X}, 0x{ord(to):X}}}," for c, to in pairs
                      if len(to) == 1 and to != chr(c))
    ranges = []
    for c in SIGNS:
        if unicodedata.category(chr(c))[0] != "P":
            continue
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    signs = "".join(f"{{0x{a:X}, 0x{b:X}}}," for a, b in ranges)
    OUT.write_text(HEAD + letters + MIDDLE + signs + "};\n\n}  // namespace weft::data::detail\n")


if __name__ == "__main__":
    main()

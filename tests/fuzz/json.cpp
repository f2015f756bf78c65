// SPDX-License-Identifier: Apache-2.0
#include <weft/io/json.hpp>
#include <weft/io/utf8.hpp>

#include "fuzz.hpp"

/// Reads a value of the shape that the text itself begins with, some levels deep.
static void value(weft::io::JsonReader& json, const std::uint8_t*& choice, int depth) {
  const int kind = depth > 6 ? 2 : *choice++ % 4;
  if (kind == 0) json.object([&](const std::string&) { value(json, choice, depth + 1); });
  if (kind == 1) json.array([&] { value(json, choice, depth + 1); });
  if (kind == 2) {
    const std::string text = json.string("a text");
    if (weft::io::first_invalid_utf8(text) < text.size()) std::abort();
  }
  if (kind == 3 && json.number() < 0) std::abort();
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // The first sixteen bytes say what is expected where, and then over and over.
  if (size < 16) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 16, size - 16);
  if (weft::io::first_invalid_utf8(text) < text.size()) return 0;
  static const fuzz::File none(data, 0);
  static const weft::io::InputFile file("read", none.path());
  std::string choices;
  while (choices.size() < 8 * size) choices.append(reinterpret_cast<const char*>(data), 16);
  return fuzz::read([&] {
    weft::io::JsonReader json(file, text);
    const auto* choice = reinterpret_cast<const std::uint8_t*>(choices.data());
    value(json, choice, 0);
  });
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/data/wordpiece.hpp>

#include "fuzz.hpp"

// The vocabulary up to the first byte 0, then the text.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::size_t split = 0;
  while (split < size && data[split] != 0) ++split;
  const fuzz::File file(data, split);
  const std::size_t first = split < size ? split + 1 : size;
  const std::string text(reinterpret_cast<const char*>(data) + first, size - first);
  return fuzz::read([&] {
    const auto tokenizer = weft::data::WordPiece::load(file.path());
    const auto batch = tokenizer.encode({text, "a b"}, 64);
    fuzz::use(batch.ids);
    fuzz::use(batch.mask);
  });
}

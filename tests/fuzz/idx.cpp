// SPDX-License-Identifier: Apache-2.0
#include <weft/data/idx.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  fuzz::read([&] { fuzz::use(weft::data::load_idx<double>(file.path())); });
  return fuzz::read([&] { fuzz::use(weft::data::load_idx<std::uint8_t>(file.path())); });
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/io/npz.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    for (const auto& [name, tensor] : weft::load_npz(file.path(), {.max_bytes = 1 << 26})) {
      fuzz::use(tensor);
    }
  });
}

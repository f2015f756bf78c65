// SPDX-License-Identifier: Apache-2.0
#include <weft/io/safetensors.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    for (const auto& [name, tensor] : weft::load_safetensors(file.path())) fuzz::use(tensor);
  });
}

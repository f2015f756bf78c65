// SPDX-License-Identifier: Apache-2.0
#include <weft/io/npy.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    weft::io::InputFile input("load_npy", file.path());
    fuzz::use(weft::detail::read_npy(input));
  });
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/io/gzip.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    weft::io::GzipInput input("read", file.path());
    char bytes[4096];
    for (int i = 0; i < 1000; ++i) input.read(bytes, 1 + i * 7 % 4096);
    input.expect_end();
  });
}

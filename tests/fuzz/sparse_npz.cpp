// SPDX-License-Identifier: Apache-2.0
#include <weft/io/sparse_npz.hpp>
#include <weft/sparse.hpp>

#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::File file(data, size);
  return fuzz::read([&] {
    const auto x = weft::load_coo<float>(file.path(), {.max_bytes = 1 << 26});
    fuzz::use(x.row_indices());
    fuzz::use(x.col_indices());
    fuzz::use(x.values());
    if (x.shape()[0] < 1 << 20) fuzz::use(x.to_csr().crow_indices());
  });
}

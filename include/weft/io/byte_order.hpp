// swap_bytes: numbers of the other byte order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::io {

/// Reverses the bytes of each of `count` numbers of `width` bytes.
inline void swap_bytes(unsigned char* at, std::int64_t count, int width) {
  for (; count > 0; --count, at += width) {
    for (int i = 0, j = width - 1; i < j; ++i, --j) {
      const unsigned char t = at[i];
      at[i] = at[j];
      at[j] = t;
    }
  }
}

}  // namespace weft::io

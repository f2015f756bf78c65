// next_fast_len: lengths that Fourier transforms are fast at.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/shape.hpp"

namespace weft {

/// The least length from n on that has no prime above 5: what to pad signals to. Throws ValueError
/// below 1 and above 2^60.
[[gnu::noinline]] inline int64_t next_fast_len(int64_t n) {
  if (n < 1 || n > int64_t{1} << 60) {
    fail<ValueError>("next_fast_len", "length ", n, ", expected 1 to 2^60");
  }
  int64_t best = 1;
  while (best < n) best *= 2;
  for (int64_t fives = 1; fives < best; fives *= 5) {
    for (int64_t m = fives; m < best; m *= 3) {
      int64_t length = m;
      while (length < n) length *= 2;
      if (length < best) best = length;
    }
  }
  return best;
}

}  // namespace weft

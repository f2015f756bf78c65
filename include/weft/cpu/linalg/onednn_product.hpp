// Products of floats by oneDNN (macro WEFT_ONEDNN), the way round that it packs less.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/cpu/elementwise/transpose.hpp"

#if defined(WEFT_ONEDNN)
#include "weft/cpu/memory.hpp"
#endif

namespace weft::cpu {

#if defined(WEFT_ONEDNN)
/// oneDNN's product of floats, row-major like weft's. It generates kernels for the processor at run
/// time, and supports newer ones than most BLAS do.
extern "C" int weft_onednn_sgemm(char, char, int64_t, int64_t, int64_t, float, const float*,
                                 int64_t, const float*, int64_t, float, float*,
                                 int64_t) __asm__("dnnl_sgemm");
inline constexpr bool has_onednn = true;
#else
inline constexpr bool has_onednn = false;
#endif

namespace detail {

/// A row-major matrix, or the transpose of one.
struct OneDnnMatrix {
  const float* data;
  int64_t step;
  bool transposed;
};

/// Whether x w', of some rows and a layer's weights w, is better computed as w x' and turned back:
/// oneDNN first copies what it reads across its rows, for few rows as long as it then multiplies.
/// Its vectors lie along the rows of x then, so that few lanes may be left over.
inline bool is_better_turned(int64_t m, int64_t n, int64_t k) {
  return m >= 12 && m <= 128 && (m + 15) / 16 * 16 - m <= m / 4 && n >= 64 && k >= 64;
}

/// to[i * pitch + j] = from[j * count + i], or += with `adds`, for i < count and j < n.
inline void turn_back(const float* from, int64_t count, int64_t n, float* to, int64_t pitch,
                      bool adds) {
  constexpr int side = 16;
  alignas(64) float tile[side * side];
  for (int64_t j = 0; j < n; j += side) {
    const auto width = static_cast<int>(n - j < side ? n - j : side);
    for (int64_t i = 0; i < count; i += side) {
      const auto height = static_cast<int>(count - i < side ? count - i : side);
      float* const at = to + i * pitch + j;
      if (!adds) {
        transpose_elements<std::uint32_t>(reinterpret_cast<const char*>(from + j * count + i),
                                          count, reinterpret_cast<char*>(at), pitch, height, width);
        continue;
      }
      transpose_elements<std::uint32_t>(reinterpret_cast<const char*>(from + j * count + i), count,
                                        reinterpret_cast<char*>(tile), side, height, width);
      for (int r = 0; r < height; ++r) {
        for (int c = 0; c < width; ++c) at[r * pitch + c] += tile[r * side + c];
      }
    }
  }
}

#if defined(WEFT_ONEDNN)
/// c = alpha a b, or c += alpha a b.
[[gnu::noinline]] inline void onednn_product(int64_t m, int64_t n, int64_t k, float alpha,
                                             const OneDnnMatrix& a, const OneDnnMatrix& b, float* c,
                                             int64_t step, bool adds) {
  if (a.transposed || !b.transposed || !is_better_turned(m, n, k)) {
    weft_onednn_sgemm(a.transposed ? 'T' : 'N', b.transposed ? 'T' : 'N', m, n, k, alpha, a.data,
                      a.step, b.data, b.step, adds ? 1.0F : 0.0F, c, step);
    return;
  }
  const StorageHandle room(
      Memory<Cpu>::allocate(Cpu{}, m * n * static_cast<int64_t>(sizeof(float))));
  auto* const turned = static_cast<float*>(room->data);
  weft_onednn_sgemm('N', 'T', n, m, k, alpha, b.data, b.step, a.data, a.step, 0.0F, turned, m);
  turn_back(turned, m, n, c, step, adds);
}
#endif

}  // namespace detail
}  // namespace weft::cpu

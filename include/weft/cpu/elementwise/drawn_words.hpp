// DrawnWords: the random bits of many blocks of Philox, computed in vectors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/random/generator.hpp"

namespace weft::cpu::detail {

/// The words of some blocks of Philox, the first ones of each together.
struct DrawnWords {
  static constexpr int most = 64;
  static constexpr int unit = 8;  // their number is a multiple of this: whole vectors
  alignas(64) std::uint32_t a[most];
  alignas(64) std::uint32_t b[most];
  alignas(64) std::uint32_t c[most];
  alignas(64) std::uint32_t d[most];
};

#if defined(__x86_64__)
/// Four blocks of Philox, with a word in the lower half of each lane: what is in the upper half
/// makes no difference to it. g++ by itself takes three times as many instructions.
struct FourBlocks {
  typedef std::uint64_t Lanes __attribute__((vector_size(32)));
  typedef int Ints __attribute__((vector_size(32)));
  typedef std::uint32_t Words __attribute__((vector_size(32)));
  Lanes a, b, c, d;

  [[gnu::target("avx2,fma")]] WEFT_ALWAYS_INLINE void set(const std::uint64_t* index,
                                                          std::uint64_t number) {
    __builtin_memcpy(&a, index, sizeof(Lanes));
    b = a >> 32;
    c = Lanes{} + number;
    d = Lanes{} + (number >> 32);
  }
  [[gnu::target("avx2,fma")]] WEFT_ALWAYS_INLINE static void multiply(Lanes& to, const Lanes& x,
                                                                      std::uint32_t factor) {
#if defined(__clang__)
    to = (x & 0xFFFFFFFFU) * factor;
#else
    to = (Lanes)__builtin_ia32_pmuludq256((Ints)x, (Ints)(Lanes{} + factor));
#endif
  }
  [[gnu::target("avx2,fma")]] WEFT_ALWAYS_INLINE void round(std::uint32_t k0, std::uint32_t k1) {
    Lanes p, q;
    multiply(p, a, philox_factor(0));
    multiply(q, c, philox_factor(1));
    a = (q >> 32) ^ b ^ k0;
    b = q;
    c = (p >> 32) ^ d ^ k1;
    d = p;
  }
  [[gnu::target("avx2,fma")]] WEFT_ALWAYS_INLINE static void store(std::uint32_t* to,
                                                                   const Lanes& x, const Lanes& y) {
    const Words both = __builtin_shufflevector((Words)x, (Words)y, 0, 2, 4, 6, 8, 10, 12, 14);
    __builtin_memcpy(to, &both, sizeof(Words));
  }
};

template <class = void>  // a target costs a file that has none of it some milliseconds
[[gnu::noinline, gnu::target("avx2,fma")]] void draw_words_by_avx2(const Draw& draw, int n,
                                                                   const std::uint64_t* index,
                                                                   DrawnWords& to) {
  for (int i = 0; i < n; i += DrawnWords::unit) {
    FourBlocks x, y;
    x.set(index + i, draw.number);
    y.set(index + i + 4, draw.number);
    auto k0 = static_cast<std::uint32_t>(draw.seed);
    auto k1 = static_cast<std::uint32_t>(draw.seed >> 32);
    for (int round = 0; round < 10; ++round) {
      x.round(k0, k1);
      y.round(k0, k1);
      k0 += philox_step(0);
      k1 += philox_step(1);
    }
    FourBlocks::store(to.a + i, x.a, y.a);
    FourBlocks::store(to.b + i, x.b, y.b);
    FourBlocks::store(to.c + i, x.c, y.c);
    FourBlocks::store(to.d + i, x.d, y.d);
  }
}
#endif

/// Blocks index[0] to index[n - 1] of a draw.
template <class = void>
[[gnu::noinline]] void draw_words(const Draw& draw, int n, const std::uint64_t* index,
                                  DrawnWords& to) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return draw_words_by_avx2<>(draw, n, index, to);
  }
#endif
  for (int i = 0; i < n; ++i) {
    const PhiloxBlock x = draw.block(index[i]);
    to.a[i] = x.a;
    to.b[i] = x.b;
    to.c[i] = x.c;
    to.d[i] = x.d;
  }
}

}  // namespace weft::cpu::detail

// Converts runs of halves to floats and back, with the processor's instructions if it has them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/half.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"

namespace weft::cpu::detail {

#if defined(__x86_64__)
typedef short EightHalves __attribute__((vector_size(16)));
typedef float EightFloats __attribute__((vector_size(32)));
typedef int EightMasks __attribute__((vector_size(32)));

// The remainder is covered by a last vector that begins earlier.
template <class = void>  // a target costs a file that has none of it some milliseconds
[[gnu::noinline, gnu::target("avx2,fma,f16c")]] void widen_by_f16c(const half* from, float* to,
                                                                   std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) {
    if (i + 8 > n) i = n - 8;
    EightHalves x;
    __builtin_memcpy(&x, from + i, 16);
    const EightFloats y = __builtin_ia32_vcvtph2ps256(x);
    __builtin_memcpy(to + i, &y, 32);
  }
}
template <class = void>  // a target costs a file that has none of it some milliseconds
[[gnu::noinline, gnu::target("avx2,fma,f16c")]] void narrow_by_f16c(const float* from, half* to,
                                                                    std::int64_t n) {
  for (std::int64_t i = 0; i < n; i += 8) {
    if (i + 8 > n) i = n - 8;
    EightFloats x;
    __builtin_memcpy(&x, from + i, 32);
    const EightMasks nan = x != x;  // which becomes 0x7FFF
    x = (EightFloats)(((EightMasks)x & ~nan) | (nan & 0x7FFFFFFF));
    const EightHalves y = __builtin_ia32_vcvtps2ph256(x, 0);
    __builtin_memcpy(static_cast<void*>(to + i), &y, 16);
  }
}
inline bool has_f16c() {
#if defined(__AVX2__) && defined(__F16C__)
  return true;
#else
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");  // and so F16C
#endif
}
#endif

/// to[i] = from[i] for n halves.
template <class = void>
[[gnu::noinline]] void widen_halves(const half* from, float* to, std::int64_t n) {
#if defined(__x86_64__)
  if (n >= 8 && has_f16c()) return widen_by_f16c<>(from, to, n);
#endif
  for (std::int64_t i = 0; i < n; ++i) to[i] = static_cast<float>(from[i]);
}
/// The same the other way, rounded once; NaN becomes 0x7FFF.
template <class = void>
[[gnu::noinline]] void narrow_to_halves(const float* from, half* to, std::int64_t n) {
#if defined(__x86_64__)
  if (n >= 8 && has_f16c()) return narrow_by_f16c<>(from, to, n);
#endif
  for (std::int64_t i = 0; i < n; ++i) to[i] = half(from[i]);
}

}  // namespace weft::cpu::detail

// atomic_add: adds to an element in memory; in kernels so that no addition is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/core/math/arithmetic.hpp"

namespace weft::detail {

/// The element plus a value, rounded once.
template <class T>
WEFT_HD T added(T element, compute_t<T> value) {
  return static_cast<T>(math::add(load_element(element), value));
}

#if defined(__CUDACC__)
/// One or two bytes, for which CUDA has no addition: compare and swap until no other thread came
/// between.
template <class T>
__device__ void swap_add(T* p, compute_t<T> value) {
  if constexpr (sizeof(T) == 2) {
    auto* at = reinterpret_cast<unsigned short*>(p);
    unsigned short seen = *const_cast<volatile unsigned short*>(at);
    for (;;) {
      const T sum = added(__builtin_bit_cast(T, seen), value);
      const unsigned short now = atomicCAS(at, seen, __builtin_bit_cast(unsigned short, sum));
      if (now == seen) return;
      seen = now;
    }
  } else {
    const auto address = reinterpret_cast<unsigned long long>(p);
    auto* word = reinterpret_cast<unsigned*>(address & ~3ULL);
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    unsigned seen = *const_cast<volatile unsigned*>(word);
    for (;;) {
      const T sum = added(static_cast<T>(seen >> shift & 0xFFU), value);
      const unsigned byte = static_cast<unsigned char>(sum);
      const unsigned now = atomicCAS(word, seen, (seen & ~(0xFFU << shift)) | byte << shift);
      if (now == seen) return;
      seen = now;
    }
  }
}
#endif

/// *p += value. Kernels may add to one element from many threads; the order, and with it the
/// rounding of floating types, is then not fixed.
template <class T>
WEFT_HD void atomic_add(T* p, compute_t<T> value) {
#if defined(__CUDA_ARCH__)
  if constexpr (is_complex<T>) {
    auto* parts = reinterpret_cast<real_t<T>*>(p);
    atomicAdd(parts, value.real());
    atomicAdd(parts + 1, value.imag());
  } else if constexpr (is_dual<T>) {
    atomicAdd(&p->value, value.value);
    atomicAdd(&p->tangent, value.tangent);
  } else if constexpr (sizeof(T) < 4) {
    swap_add(p, value);
  } else if constexpr (std::is_floating_point_v<T>) {
    atomicAdd(p, value);
  } else if constexpr (sizeof(T) == 4) {
    atomicAdd(reinterpret_cast<unsigned*>(p), static_cast<unsigned>(value));
  } else {
    atomicAdd(reinterpret_cast<unsigned long long*>(p), static_cast<unsigned long long>(value));
  }
#else
  *p = added(*p, value);
#endif
}

}  // namespace weft::detail

// atomic_apply: an element in memory becomes a function of itself and a value; no update is lost.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/dtype.hpp"
#include "weft/core/word.hpp"

namespace weft::detail {

#if defined(__CUDACC__)
template <class T, class F>
__device__ void swap_apply(T* p, compute_t<T> value, const F& f) {
  if constexpr (sizeof(T) == 1) {  // within the word that it is a byte of
    const auto address = reinterpret_cast<unsigned long long>(p);
    auto* word = reinterpret_cast<unsigned*>(address & ~3ULL);
    const unsigned shift = static_cast<unsigned>(address & 3) * 8;
    unsigned seen = *const_cast<volatile unsigned*>(word);
    for (;;) {
      const T next = static_cast<T>(f(load_element(static_cast<T>(seen >> shift & 0xFFU)), value));
      const unsigned byte = static_cast<unsigned char>(next);
      const unsigned wanted = (seen & ~(0xFFU << shift)) | byte << shift;
      if (wanted == seen) return;
      const unsigned now = atomicCAS(word, seen, wanted);
      if (now == seen) return;
      seen = now;
    }
  } else {
    using Word = word_t<sizeof(T)>;
    auto* at = reinterpret_cast<Word*>(p);
    Word seen = *const_cast<volatile Word*>(at);
    for (;;) {
      const T next = static_cast<T>(f(load_element(__builtin_bit_cast(T, seen)), value));
      const Word wanted = __builtin_bit_cast(Word, next);
      if (wanted == seen) return;
      const Word now = atomicCAS(at, seen, wanted);
      if (now == seen) return;
      seen = now;
    }
  }
}
#endif

/// *p = f(*p, value), for elements of 8 bytes at most.
template <class T, class F>
WEFT_HD void atomic_apply(T* p, compute_t<T> value, const F& f) {
#if defined(__CUDA_ARCH__)
  swap_apply(p, value, f);
#else
  *p = static_cast<T>(f(load_element(*p), value));
#endif
}

}  // namespace weft::detail

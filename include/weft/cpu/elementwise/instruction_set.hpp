// Loops compiled for several instruction sets; one is chosen at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/core/config.hpp"

// clang warns, at the function that a loop is inlined into, where loops that shall be vectorised
// are not: for want of optimisation, or of vectors of such numbers.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wpass-failed"
#endif

namespace weft::cpu {

/// The instruction set that this file is compiled for. As a template argument of the loops it keeps
/// the linker from merging loops of files compiled with different -m options.
#if defined(__AVX512F__)
struct Avx512;
using Compiled = Avx512;
#elif defined(__AVX2__)
struct Avx2;
using Compiled = Avx2;
#else
struct Baseline;
using Compiled = Baseline;
#endif

namespace detail {

// `flatten` inlines everything that f calls, and so compiles it for the function's instruction set.
// At -O2 g++ 12 vectorises hardly anything unless asked to.
#if defined(__clang__) || !defined(__OPTIMIZE__)
template <class Tag, class F>
[[gnu::noinline, gnu::flatten]] void run_compiled(const F& f) {
  f();
}
#if defined(__x86_64__)
template <class F>
[[gnu::noinline, gnu::flatten, gnu::target("avx2,fma,f16c")]] void run_avx2(const F& f) {
  f();
}
#endif
#else
#if defined(__AVX2__) || !defined(__x86_64__)
template <class Tag, class F>
[[gnu::noinline, gnu::flatten,
#if defined(__AVX512F__)
  gnu::target("prefer-vector-width=512"),  // else g++ takes 256 bits on most machines
#endif
  gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic")]] void
run_compiled(const F& f) {
  f();
}
#else
template <class Tag, class F>
[[gnu::noinline, gnu::flatten]] void run_compiled(const F& f) {
  f();
}
template <class F>
[[gnu::noinline, gnu::flatten, gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic"),
  gnu::target("avx2,fma,f16c")]] void
run_avx2(const F& f) {
  f();
}
#endif
#endif

#if defined(WEFT_AVX512) && defined(__x86_64__) && defined(__OPTIMIZE__) && \
    !defined(__AVX512F__) && !defined(__clang__)
template <class F>
[[gnu::noinline, gnu::flatten, gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic"),
  gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")]] void
run_avx512(const F& f) {
  f();
}
#endif

#if defined(__x86_64__)
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("fma");
}
#endif

}  // namespace detail

/// Calls f(), a loop, compiled for AVX2 and FMA if the machine has them, otherwise for this file's
/// instruction set. With WEFT_AVX512, which costs compile time, AVX-512 is preferred (g++).
template <class F, class Tag = Compiled>
WEFT_INLINE void run_loop(const F& f) {
#if defined(WEFT_AVX512) && defined(__x86_64__) && defined(__OPTIMIZE__) && \
    !defined(__AVX512F__) && !defined(__clang__)
  if (detail::has_avx512()) return detail::run_avx512(f);
#endif
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    return detail::run_avx2(f);
  }
#endif
  detail::run_compiled<Tag>(f);
}

/// The functions of an element-wise kernel's loop; null: not compiled.
struct CompiledLoops {
  using Loop = void(const void* programs, char* const* at, const std::int64_t* step,
                    const std::int64_t* skip, std::int64_t rows, std::int64_t n);
  Loop* compiled;
  Loop* avx2 = nullptr;
  Loop* avx512 = nullptr;

  /// The function for this machine.
  Loop* chosen() const {
#if defined(__x86_64__)
    if (avx512 != nullptr && detail::has_avx512()) return avx512;
    if (avx2 != nullptr && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
      return avx2;
    }
#endif
    return compiled;
  }
};

/// An element-wise kernel's loop as one function per instruction set. Kernel::all(self, ...)
/// handles all rows the fastest way, where `self` is the function that calls it; the baseline for
/// machines without AVX2 is Kernel::each(self, ...), which compiles faster.
template <class Kernel, class Tag = Compiled>
struct KernelLoops {
  using Loop = CompiledLoops::Loop;

#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
  [[gnu::flatten,
#if !defined(__clang__)
    gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic"),
#endif
    gnu::target("avx2,fma,f16c")]] static void
  avx2(const void* programs, char* const* at, const std::int64_t* step, const std::int64_t* skip,
       std::int64_t rows, std::int64_t n) {
    Kernel::all(avx2, programs, at, step, skip, rows, n);
  }
  [[gnu::flatten]] static void compiled(const void* programs, char* const* at,
                                        const std::int64_t* step, const std::int64_t* skip,
                                        std::int64_t rows, std::int64_t n) {
    Kernel::each(compiled, programs, at, step, skip, rows, n);
  }
#else
  [[gnu::flatten
#if defined(__AVX512F__) && !defined(__clang__)
    ,
    gnu::target("prefer-vector-width=512")  // else g++ takes 256 bits on most machines
#endif
#if defined(__OPTIMIZE__) && !defined(__clang__)
    ,
    gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic")
#endif
  ]] static void
  compiled(const void* programs, char* const* at, const std::int64_t* step,
           const std::int64_t* skip, std::int64_t rows, std::int64_t n) {
    Kernel::all(compiled, programs, at, step, skip, rows, n);
  }
#endif

#if defined(WEFT_AVX512) && defined(__x86_64__) && defined(__OPTIMIZE__) && \
    !defined(__AVX512F__) && !defined(__clang__)
  [[gnu::flatten, gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic"),
    gnu::target(
        "avx512f,avx512bw,avx512dq,avx512vl,avx2,fma,f16c,prefer-vector-width=512")]] static void
  avx512(const void* programs, char* const* at, const std::int64_t* step, const std::int64_t* skip,
         std::int64_t rows, std::int64_t n) {
    Kernel::all(avx512, programs, at, step, skip, rows, n);
  }
#endif

  static constexpr CompiledLoops loops() {
    CompiledLoops found{compiled};
#if defined(__x86_64__) && defined(__OPTIMIZE__) && !defined(__AVX2__)
    found.avx2 = avx2;
#endif
#if defined(WEFT_AVX512) && defined(__x86_64__) && defined(__OPTIMIZE__) && \
    !defined(__AVX512F__) && !defined(__clang__)
    found.avx512 = avx512;
#endif
    return found;
  }
  /// The function for this machine.
  static Loop* chosen() { return loops().chosen(); }
};

}  // namespace weft::cpu

#if defined(__clang__)
#pragma clang diagnostic pop
#endif

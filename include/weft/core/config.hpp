// Compiler and version checks, and the few macros that weft defines.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define WEFT_VERSION 200  ///< major * 10000 + minor * 100 + patch

#if __cplusplus < 202002L || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 12) || \
    (defined(__clang__) && __clang_major__ < 14) ||                                         \
    (defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ < 1206)
#error "weft needs C++20 (-std=c++20) with g++ 12, clang 14 or newer, and CUDA 12.6 or newer"
#endif

// x[i, j] is x[j] in C++20, so it must not pass for the element (i, j).
#if defined(__NVCC__)
#pragma nv_diag_error 3008
#elif defined(__clang__)
#pragma clang diagnostic error "-Wdeprecated-comma-subscript"
#elif defined(__GNUC__)
#pragma GCC diagnostic error "-Wcomma-subscript"
#endif

/// Marks a function that runs on the CPU and in CUDA kernels.
#if defined(__CUDACC__)
#define WEFT_HD __host__ __device__
#else
#define WEFT_HD
#endif

/// Inlined however large it is: a loop around a call does not vectorise. Not without optimisation,
/// where a debugger steps into it, and where inlining would take a third of clang++'s time.
#if defined(__OPTIMIZE__) || defined(__CUDA_ARCH__)
#define WEFT_ALWAYS_INLINE __attribute__((always_inline))
#else
#define WEFT_ALWAYS_INLINE
#endif
#define WEFT_INLINE inline WEFT_ALWAYS_INLINE

/// Unrolls a loop with a few iterations, known to the compiler, so that what they index is in
/// registers. g++ does not at -O2; nvcc does anyway.
#if defined(__CUDACC__)
#define WEFT_UNROLL
#elif defined(__clang__)
#define WEFT_UNROLL _Pragma("unroll")
#else
#define WEFT_UNROLL _Pragma("GCC unroll 64")
#endif

/// The unroll pragmas of a kernel's loops in functions that also run on the CPU, where g++ does not
/// know them: fully unrolled, or not at all.
#if defined(__CUDA_ARCH__)
#define WEFT_KERNEL_UNROLL _Pragma("unroll")
#define WEFT_KERNEL_LOOP _Pragma("unroll 1")
#else
#define WEFT_KERNEL_UNROLL
#define WEFT_KERNEL_LOOP
#endif

/// Marks a function with loops over a handful of operands or dimensions: not inlined, and not
/// vectorised, since vectors would have to wait for what was just stored. Passes that look for
/// equal values on other paths, or copy paths, do not pay either: they make such a function hardly
/// faster, and every file that includes weft compiles some thirty of them.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_OUTLINED                                                                             \
  [[gnu::noinline,                                                                                \
    gnu::optimize("no-tree-loop-vectorize", "no-tree-slp-vectorize", "no-tree-loop-distribution", \
                  "no-tree-loop-distribute-patterns", "no-version-loops-for-strides",             \
                  "no-tree-pre", "no-gcse", "no-code-hoisting", "no-ivopts", "no-tree-vrp",       \
                  "no-schedule-insns2", "no-thread-jumps")]]
#else
#define WEFT_OUTLINED [[gnu::noinline]]
#endif

/// Asserts below a type that it models its concept, but only where weft itself is tested:
/// everywhere, it would add a fiftieth to the compile time.
#if defined(WEFT_CHECK_MODELS)
#define WEFT_MODEL(...) static_assert(__VA_ARGS__)
#else
#define WEFT_MODEL(...) static_assert(true)
#endif

/// Marks a function that runs once in a process, or where something went wrong: not worth the time
/// that optimising it takes.
#if defined(__GNUC__) && !defined(__clang__)
#define WEFT_ONCE [[gnu::noinline, gnu::cold, gnu::optimize("O0")]]
#else
#define WEFT_ONCE [[gnu::noinline, gnu::cold]]
#endif

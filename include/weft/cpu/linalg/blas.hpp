// Matrix products by BLAS (macro WEFT_BLAS), and of floats by oneDNN (macro WEFT_ONEDNN).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <climits>

#include "weft/core/dtype.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/linalg/blas_threads.hpp"
#include "weft/cpu/linalg/gemm.hpp"
#include "weft/cpu/linalg/onednn_product.hpp"

namespace weft::cpu {

#if defined(WEFT_BLAS)
/// Fortran's symbols, which every BLAS has, with 32-bit integers. They are declared here under
/// weft's names, so that they do not clash with a program's own declarations.
namespace blas {
template <class T>
using Gemm = void(const char*, const char*, const int*, const int*, const int*, const T*, const T*,
                  const int*, const T*, const int*, const T*, T*, const int*);
template <class T>
using Gemv = void(const char*, const int*, const int*, const T*, const T*, const int*, const T*,
                  const int*, const T*, T*, const int*);

extern "C" {
extern Gemm<float> weft_sgemm __asm__("sgemm_");
extern Gemm<double> weft_dgemm __asm__("dgemm_");
extern Gemm<complex<float>> weft_cgemm __asm__("cgemm_");
extern Gemm<complex<double>> weft_zgemm __asm__("zgemm_");
extern Gemv<float> weft_sgemv __asm__("sgemv_");
extern Gemv<double> weft_dgemv __asm__("dgemv_");
extern Gemv<complex<float>> weft_cgemv __asm__("cgemv_");
extern Gemv<complex<double>> weft_zgemv __asm__("zgemv_");
}

template <class T>
struct Functions;
template <>
struct Functions<float> {
  static constexpr auto* gemm = weft_sgemm;
  static constexpr auto* gemv = weft_sgemv;
};
template <>
struct Functions<double> {
  static constexpr auto* gemm = weft_dgemm;
  static constexpr auto* gemv = weft_dgemv;
};
template <>
struct Functions<complex<float>> {
  static constexpr auto* gemm = weft_cgemm;
  static constexpr auto* gemv = weft_cgemv;
};
template <>
struct Functions<complex<double>> {
  static constexpr auto* gemm = weft_zgemm;
  static constexpr auto* gemv = weft_zgemv;
};
}  // namespace blas

inline constexpr bool has_blas = true;
#else
inline constexpr bool has_blas = false;
#endif

namespace detail {

/// Whether oneDNN has products of T.
template <class T>
inline constexpr bool is_onednn_type = has_onednn&& std::is_same_v<T, float>;

/// Whether BLAS, or oneDNN in its place, has products of T.
template <class T>
inline constexpr bool is_blas_type =
    (has_blas && (std::is_floating_point_v<T> || is_complex<T>)) || is_onednn_type<T>;

/// Whether BLAS takes a product: the sizes must fit in 32 bits.
inline bool fits_blas(const weft::detail::ProductPlan& p) {
  for (const auto* x : {&p.a, &p.b, &p.c}) {
    if (x->row > INT_MAX || x->column > INT_MAX) return false;
  }
  return p.m <= INT_MAX && p.n <= INT_MAX && p.k <= INT_MAX;
}

/// How a batch of products is tiled: by shape alone, so that results are the same bits for any
/// number of threads. Each tile is one BLAS call over all of k.
struct BlasTiles {
  int64_t rows;
  int64_t columns;
  int64_t down;  // tiles
  int64_t across;

  WEFT_OUTLINED explicit BlasTiles(const weft::detail::ProductPlan& p)
      : rows(p.m > 0 ? p.m : 1), columns(p.n > 0 ? p.n : 1) {
    // A call on a quarter of a matrix packs half of each operand again: small tiles cost more than
    // the threads that they keep busy gain.
    constexpr int64_t most = 16;
    constexpr int64_t least_work = int64_t{1} << 20;
    const int64_t batches = p.batches();
    const bool vector = p.m == 1 || p.n == 1;
    for (int64_t count = batches; count < 4 * most; count *= 2) {
      int64_t& side = rows >= columns ? rows : columns;
      const int64_t shortest = vector ? 64 : count < most ? 128 : 512;
      const int64_t work = rows * columns * p.k * (vector ? 16 : 1);  // memory-bound
      if (side < 2 * shortest || work < 2 * least_work || (vector && count >= most)) break;
      side = (side / 2 + 31) / 32 * 32;
    }
    down = (p.m + rows - 1) / rows;
    across = (p.n + columns - 1) / columns;
  }
  /// All of a batch.
  BlasTiles(int64_t m, int64_t n) : rows(m), columns(n), down(1), across(1) {}
};

/// Adds a bias to a tile while it is in the cache.
template <class T>
[[gnu::noinline]] void add_bias(T* c, int64_t row, int64_t height, int64_t width, const T* bias) {
  run_loop([=]() WEFT_ALWAYS_INLINE {
    for (int64_t i = 0; i < height; ++i) {
      T* const at = c + i * row;
      for (int64_t j = 0; j < width; ++j) at[j] += bias[j];
    }
  });
}

/// One tile of one matrix of a batch. BLAS is column-major, so it computes c' = b' a'; products
/// with a vector use the function that reads the matrix once.
template <class T>
void blas_product([[maybe_unused]] const GemmTask<T>& task, [[maybe_unused]] const BlasTiles& tiles,
                  [[maybe_unused]] int64_t item) {
#if defined(WEFT_BLAS) || defined(WEFT_ONEDNN)
  const auto& p = task.plan;
  const int64_t index = item / (tiles.down * tiles.across);
  const int64_t tile = item - index * tiles.down * tiles.across;
  const int64_t i = tile / tiles.across * tiles.rows;
  const int64_t j = tile % tiles.across * tiles.columns;
  const auto a_at = weft::detail::blas_matrix(p.a, p.m, p.k);
  const auto b_at = weft::detail::blas_matrix(p.b, p.k, p.n);
  const auto c_at = weft::detail::blas_matrix(p.c, p.m, p.n);
  const T* a = task.a + p.offset(p.a, index) + i * p.a.row;
  const T* b = task.b + p.offset(p.b, index) + j * p.b.column;
  T* c = task.c + p.offset(p.c, index) + i * p.c.row + j * p.c.column;
#if defined(WEFT_ONEDNN)
  if constexpr (is_onednn_type<T>) {
    if (!has_blas || (p.m > 1 && p.n > 1)) {
      const int64_t height = p.m - i < tiles.rows ? p.m - i : tiles.rows;
      const int64_t width = p.n - j < tiles.columns ? p.n - j : tiles.columns;
      onednn_product(height, width, p.k, task.alpha, {a, a_at.step, a_at.transposed},
                     {b, b_at.step, b_at.transposed}, c, c_at.step, task.adds);
      return;
    }
  }
#endif
#if defined(WEFT_BLAS)
  const int m = static_cast<int>(p.m - i < tiles.rows ? p.m - i : tiles.rows);
  const int n = static_cast<int>(p.n - j < tiles.columns ? p.n - j : tiles.columns);
  const int k = static_cast<int>(p.k);
  const int a_step = static_cast<int>(a_at.step);
  const int b_step = static_cast<int>(b_at.step);
  const int c_step = static_cast<int>(c_at.step);
  const T beta = task.adds ? T(1) : T(0);
  const auto between = [](int64_t stride) { return stride > 0 ? static_cast<int>(stride) : 1; };
  if (p.n == 1) {
    const int x_step = between(p.b.row);
    const int y_step = between(p.c.row);
    blas::Functions<T>::gemv(a_at.transposed ? "N" : "T", a_at.transposed ? &m : &k,
                             a_at.transposed ? &k : &m, &task.alpha, a, &a_step, b, &x_step, &beta,
                             c, &y_step);
  } else if (p.m == 1) {
    const int x_step = between(p.a.column);
    const int y_step = between(p.c.column);
    blas::Functions<T>::gemv(b_at.transposed ? "T" : "N", b_at.transposed ? &k : &n,
                             b_at.transposed ? &n : &k, &task.alpha, b, &b_step, a, &x_step, &beta,
                             c, &y_step);
  } else {
    blas::Functions<T>::gemm(b_at.transposed ? "T" : "N", a_at.transposed ? "T" : "N", &n, &m, &k,
                             &task.alpha, b, &b_step, a, &a_step, &beta, c, &c_step);
  }
#endif
#endif
}

/// What a tile's product leaves to do.
template <class T>
void finish_tile(const GemmTask<T>& task, const BlasTiles& tiles, int64_t item) {
  if (task.bias == nullptr) return;
  const auto& p = task.plan;
  const int64_t index = item / (tiles.down * tiles.across);
  const int64_t tile = item - index * tiles.down * tiles.across;
  const int64_t i = tile / tiles.across * tiles.rows;
  const int64_t j = tile % tiles.across * tiles.columns;
  add_bias(task.c + p.offset(p.c, index) + i * p.c.row + j, p.c.row,
           p.m - i < tiles.rows ? p.m - i : tiles.rows,
           p.n - j < tiles.columns ? p.n - j : tiles.columns, task.bias + j);
}

}  // namespace detail

/// Runs a task by BLAS if there is one that takes it, otherwise by gemm(). weft's threads share its
/// tiles, each calling a single-threaded BLAS; a BLAS whose threads weft cannot set gets large
/// products whole.
template <class T>
void multiply(const GemmTask<T>& task) {
  if constexpr (detail::is_blas_type<T>) {
    if (detail::fits_blas(task.plan)) {
      const auto& p = task.plan;
      const int64_t batches = p.batches();
      constexpr bool by_onednn = detail::is_onednn_type<T>;
      const bool whole = !by_onednn && blas_threads() == BlasThreads::unknown;
      constexpr int64_t small = 64 * 64 * 64;
      if (whole && p.m * p.n * p.k >= small) {
        const detail::BlasTiles all(p.m, p.n);
        for (int64_t i = 0; i < batches; ++i) {
          detail::blas_product(task, all, i);
          detail::finish_tile(task, all, i);
        }
        return;
      }
      const detail::BlasTiles tiles = whole ? detail::BlasTiles(p.m, p.n) : detail::BlasTiles(p);
      const bool vector = p.m == 1 || p.n == 1;
      const int64_t work = batches * (p.m * p.n * p.k / (vector ? 4 : 64) + 8);
      const SingleThreadedBlas here;  // for all of it, where there is one number for the process
      return parallel(batches * tiles.down * tiles.across, work, [&](int64_t first, int64_t last) {
        const SingleThreadedBlas alone;
        const OpenMpTeam alone_too(by_onednn ? 1 : 0);
        for (int64_t i = first; i < last; ++i) {
          detail::blas_product(task, tiles, i);
          detail::finish_tile(task, tiles, i);
        }
      });
    }
  }
  gemm(task);
  const detail::BlasTiles all(task.plan.m, task.plan.n);
  for (int64_t i = 0; i < task.plan.batches(); ++i) detail::finish_tile(task, all, i);
}

}  // namespace weft::cpu

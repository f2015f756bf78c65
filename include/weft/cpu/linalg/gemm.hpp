// gemm: a matrix product in plain C++, packed, blocked and vectorised, for every element type.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>
#include <utility>

#include "weft/core/dtype.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/eval/product/plan.hpp"

namespace weft::cpu {

/// One product: c = alpha a b, added to what c holds where `adds`, plus `bias` for each row, of
/// multiply() in blas.hpp alone. Strides are the plan's.
template <class T>
struct GemmTask {
  const weft::detail::ProductPlan& plan;
  const T* a;
  const T* b;
  T* c;
  T alpha;
  bool adds;
  const T* bias = nullptr;
};

namespace detail {

#if defined(__AVX512F__)
inline constexpr int vector_bytes = 64;
#elif defined(__AVX__)
inline constexpr int vector_bytes = 32;
#else
inline constexpr int vector_bytes = 16;
#endif
#if defined(__FMA__)
inline constexpr bool fused_multiply_add = true;
#else
inline constexpr bool fused_multiply_add = false;
#endif

/// The numbers that products of T are computed in: integers wrap, and complex numbers are computed
/// as two products of twice the depth, (re, -im) (re, im)' and (im, re) (re, im)'.
template <class T>
struct GemmReal {
  using type = T;
};
template <class T>
  requires is_integer<T>
struct GemmReal<T> {
  using type = std::make_unsigned_t<T>;
};
template <class T>
struct GemmReal<complex<T>> {
  using type = T;
};

/// The inner loop: `rows` times two vectors of sums stay in registers while it walks both panels.
/// Everything that depends on it has it as a parameter, so that files compiled for different
/// instruction sets have functions of different names.
template <class R, int Bytes = vector_bytes, bool Fma = fused_multiply_add>
struct MicroKernel {
  static constexpr int lanes = Bytes / static_cast<int>(sizeof(R));
  static constexpr int columns = 2 * lanes;
  static constexpr int rows = Bytes == 64 ? 12 : 6;
  typedef R Vector __attribute__((vector_size(Bytes)));

  /// out[i * columns + j] = sum over k of a[k * rows + i] * b[k * columns + j]
  static void run(int64_t depth, const R* a, const R* b, R* out) {
    run(depth, a, b, out, std::make_index_sequence<rows>{});
  }

 private:
  template <std::size_t... I>
#if defined(__clang__)
  __attribute__((min_vector_width(512)))  // or it splits vectors of 64 bytes
#endif
  static void
  run(int64_t depth, const R* a, const R* b, R* out, std::index_sequence<I...>) {
    Vector sums[rows][2] = {};
    for (int64_t k = 0; k < depth; ++k, a += rows, b += columns) {
      Vector left;
      Vector right;
      __builtin_memcpy(&left, b, sizeof(Vector));
      __builtin_memcpy(&right, b + lanes, sizeof(Vector));
      ((sums[I][0] += a[I] * left, sums[I][1] += a[I] * right), ...);
    }
    __builtin_memcpy(out, sums, sizeof(sums));
  }
};

/// A product's loops over blocks that fit in the caches, by one thread.
template <class T, class Kernel>
class Gemm {
  using R = typename GemmReal<T>::type;
  static constexpr int parts = is_complex<T> ? 2 : 1;  // real numbers in an element
  static constexpr int64_t rows = Kernel::rows;
  static constexpr int64_t columns = Kernel::columns;
  static constexpr int64_t block_depth = 256 / parts;
  static constexpr int64_t block_rows = 16 * rows;
  static constexpr int64_t block_columns = 1024 / columns * columns;

 public:
  static constexpr int64_t grain_rows = rows;
  static constexpr int64_t grain_columns = columns;

  Gemm(const GemmTask<T>& task, void* buffer)
      : task_(task), a_(static_cast<R*>(buffer)), b_(static_cast<R*>(buffer) + a_size(task.plan)) {}

  /// Bytes of room that one thread needs.
  static int64_t scratch(const weft::detail::ProductPlan& p) {
    const int64_t b_size = whole(least(p.n, block_columns), columns) * least(p.k, block_depth);
    return (a_size(p) + b_size * parts) * static_cast<int64_t>(sizeof(R));
  }

  /// Rows i0 to i1 and columns j0 to j1 of matrix number `index`.
  void run(int64_t index, int64_t i0, int64_t i1, int64_t j0, int64_t j1) {
    const weft::detail::ProductPlan& p = task_.plan;
    const T* a = task_.a + p.offset(p.a, index);
    const T* b = task_.b + p.offset(p.b, index);
    T* c = task_.c + p.offset(p.c, index);
    for (int64_t j = j0; j < j1; j += block_columns) {
      const int64_t width = least(block_columns, j1 - j);
      for (int64_t k = 0; k < p.k; k += block_depth) {
        const int64_t depth = least(block_depth, p.k - k);
        pack_b(b + k * p.b.row + j * p.b.column, depth, width);
        for (int64_t i = i0; i < i1; i += block_rows) {
          const int64_t height = least(block_rows, i1 - i);
          pack_a(a + i * p.a.row + k * p.a.column, depth, height);
          multiply(c + i * p.c.row + j * p.c.column, depth, height, width, task_.adds || k > 0);
        }
      }
    }
  }

 private:
  static int64_t least(int64_t x, int64_t y) { return x < y ? x : y; }
  static int64_t whole(int64_t n, int64_t of) { return (n + of - 1) / of * of; }
  /// Numbers in the packed block of a, a multiple of a vector's.
  static int64_t a_size(const weft::detail::ProductPlan& p) {
    const int64_t size = whole(least(p.m, block_rows), rows) * least(p.k, block_depth);
    return whole(size * parts * parts, 64);
  }

  /// Panels of `rows` rows, of complex numbers one for the real and one for the imaginary sums.
  void pack_a(const T* a, int64_t depth, int64_t height) {
    const auto& at = task_.plan.a;
    R* to = a_;
    for (int64_t i = 0; i < height; i += rows) {
      const int64_t valid = least(rows, height - i);
      const T* from = a + i * at.row;
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t k = 0; k < depth; ++k) {
          const T x = r < valid ? from[r * at.row + k * at.column] : T(0);
          if constexpr (parts == 1) {
            to[k * rows + r] = static_cast<R>(x);
          } else {
            R* const imaginary = to + 2 * depth * rows;
            to[2 * k * rows + r] = x.re;
            to[(2 * k + 1) * rows + r] = -x.im;
            imaginary[2 * k * rows + r] = x.im;
            imaginary[(2 * k + 1) * rows + r] = x.re;
          }
        }
      }
      to += depth * rows * parts * parts;
    }
  }

  /// Panels of `columns` columns.
  void pack_b(const T* b, int64_t depth, int64_t width) {
    const auto& at = task_.plan.b;
    R* to = b_;
    for (int64_t j = 0; j < width; j += columns) {
      const int64_t valid = least(columns, width - j);
      const T* from = b + j * at.column;
      if (valid == columns && at.column == 1) {
        for (int64_t k = 0; k < depth; ++k) {
          for (int64_t c = 0; c < columns; ++c) put_b(to, k, c, from[k * at.row + c]);
        }
      } else {
        for (int64_t c = 0; c < columns; ++c) {
          for (int64_t k = 0; k < depth; ++k) {
            put_b(to, k, c, c < valid ? from[k * at.row + c * at.column] : T(0));
          }
        }
      }
      to += depth * columns * parts;
    }
  }
  static void put_b(R* to, int64_t k, int64_t c, T x) {
    if constexpr (parts == 1) {
      to[k * columns + c] = static_cast<R>(x);
    } else {
      to[2 * k * columns + c] = x.re;
      to[(2 * k + 1) * columns + c] = x.im;
    }
  }

  void multiply(T* c, int64_t depth, int64_t height, int64_t width, bool adds) {
    alignas(64) R sums[parts][rows * columns];
    for (int64_t j = 0; j < width; j += columns) {
      for (int64_t i = 0; i < height; i += rows) {
        const R* const a = a_ + i * depth * parts * parts;
        for (int p = 0; p < parts; ++p) {
          Kernel::run(depth * parts, a + p * depth * parts * rows, b_ + j * depth * parts, sums[p]);
        }
        store(c + i * task_.plan.c.row + j * task_.plan.c.column, sums, least(rows, height - i),
              least(columns, width - j), adds);
      }
    }
  }

  void store(T* c, const R (&sums)[parts][rows * columns], int64_t height, int64_t width,
             bool adds) {
    const auto& at = task_.plan.c;
    for (int64_t i = 0; i < height; ++i) {
      T* const row = c + i * at.row;
      for (int64_t j = 0; j < width; ++j) {
        T& x = row[j * at.column];
        if constexpr (parts == 2) {
          const T value = task_.alpha * T(sums[0][i * columns + j], sums[1][i * columns + j]);
          x = adds ? x + value : value;
        } else if constexpr (is_integer<T>) {
          const R value = sums[0][i * columns + j];
          x = static_cast<T>(adds ? static_cast<R>(static_cast<R>(x) + value) : value);
        } else {
          const T value = task_.alpha * sums[0][i * columns + j];
          x = adds ? x + value : value;
        }
      }
    }
  }

  const GemmTask<T>& task_;
  R* a_;
  R* b_;
};

/// The number of threads among which work may be split here.
inline int64_t gemm_threads() { return may_share() ? num_threads() : 1; }

}  // namespace detail

/// Runs a task. Sums are in one order, whatever the number of threads. Integers wrap, and alpha is
/// 1 for them.
template <class T, class Kernel = detail::MicroKernel<typename detail::GemmReal<T>::type>>
void gemm(const GemmTask<T>& task) {
  using Loops = detail::Gemm<T, Kernel>;
  const auto& p = task.plan;
  const int64_t batches = p.batches();
  const int64_t threads = detail::gemm_threads();
  const bool by_rows = p.m / Loops::grain_rows >= p.n / Loops::grain_columns;
  const int64_t grain = by_rows ? Loops::grain_rows : Loops::grain_columns;
  const int64_t grains = ((by_rows ? p.m : p.n) + grain - 1) / grain;
  const int64_t pieces = batches >= threads ? 1 : threads < grains ? threads : grains;
  const int64_t items = batches * pieces;
  const int64_t shares = threads < items ? threads : items;
  const int64_t each = (Loops::scratch(p) + alignment - 1) / alignment * alignment;
  const StorageHandle scratch(Memory<Cpu>::allocate(Cpu{}, shares * each));
  const int64_t work = p.m * p.n * batches / 64 * (p.k + 1);
  parallel(shares, work, [&](int64_t first, int64_t last) {
    for (int64_t share = first; share < last; ++share) {
      Loops loops(task, static_cast<char*>(scratch->data) + share * each);
      for (int64_t item = items * share / shares; item < items * (share + 1) / shares; ++item) {
        const int64_t piece = item % pieces;
        const int64_t from = grains * piece / pieces * grain;
        const int64_t to = grains * (piece + 1) / pieces * grain;
        if (by_rows) {
          loops.run(item / pieces, from, to < p.m ? to : p.m, 0, p.n);
        } else {
          loops.run(item / pieces, 0, p.m, from, to < p.n ? to : p.n);
        }
      }
    }
  });
}

}  // namespace weft::cpu

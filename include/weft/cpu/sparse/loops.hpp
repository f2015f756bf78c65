// The CPU's loops over sparse matrices: products with epilogues, sampled products, checks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/math/functions.hpp"
#include "weft/cpu/elementwise/instruction_set.hpp"
#include "weft/cpu/memory.hpp"
#include "weft/cpu/parallel.hpp"
#include "weft/ops/sparse/product.hpp"

namespace weft {

namespace cpu::sparse {

/// f(first, last) for pieces of the rows, shared by threads. Pieces have equal numbers of rows plus
/// elements, so that a few full rows do not keep the others waiting.
template <class F>
void each_rows(const SparseIndex* crow, int64_t rows, int64_t width, const F& f) {
  const int64_t items = rows + crow[rows];
  const auto row_at = [&](int64_t item) {  // the first row that begins at this item or behind
    int64_t low = 0;
    int64_t high = rows;
    while (low < high) {
      const int64_t r = low + (high - low) / 2;
      if (crow[r] + r < item) {
        low = r + 1;
      } else {
        high = r;
      }
    }
    return low;
  };
  parallel(items, items * width, [&](int64_t first, int64_t last) {
    const int64_t to = last == items ? rows : row_at(last);
    const int64_t from = row_at(first);
    if (from < to) run_loop([&] { f(from, to); });
  });
}

/// What follows the sum of a row: activation(alpha * sum + beta * addend), stored as Out.
template <class T, class Out>
struct Finish {
  using C = weft::sparse::sum_t<T>;
  Activation activation;
  C alpha;
  C beta;
  const T* addend;  // or null
  int64_t addend_row;
  int64_t addend_column;

  WEFT_INLINE void operator()(const C* sums, Out* out, int64_t row, int64_t column,
                              int64_t n) const {
    for (int64_t j = 0; j < n; ++j) {
      C v = alpha * sums[j];
      if (addend != nullptr) {
        v += beta * weft::sparse::load(addend[row * addend_row + (column + j) * addend_column]);
      }
      if constexpr (!is_complex<C> && !is_integer<T>) {
        if (activation == Activation::relu) v = math::relu(v);
        if (activation == Activation::gelu_tanh) v = math::gelu_tanh(v);
      }
      out[j] = static_cast<Out>(v);
    }
  }
};

/// Columns of a dense operand whose sums a row keeps at a time.
inline constexpr int64_t tile = 64;
/// How many elements before its use a row of the dense operand is requested.
inline constexpr int64_t ahead = 4;

/// Rows from `first` to `last` of a matrix times n columns of x.
template <class T, class Out>
struct Multiply {
  using C = weft::sparse::sum_t<T>;
  static constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
  const SparseIndex* crow;
  const SparseIndex* col;
  const T* values;
  const T* x;
  int64_t step;
  Out* out;
  int64_t n;
  Finish<T, Out> finish;

  WEFT_INLINE void operator()(int64_t first, int64_t last) const {
    if (n == 1) return vector(first, last);
    for (int64_t r = first; r < last; ++r) {
      for (int64_t j = 0; j < n; j += tile) {
        C sums[tile];
        const int64_t width = n - j < tile ? n - j : tile;
        for (int64_t i = 0; i < width; ++i) sums[i] = C(0);
        for (SparseIndex e = crow[r]; e < crow[r + 1]; ++e) {
          const C value = weft::sparse::load(values[e]);
          const T* const row = x + col[e] * step + j;
          // Requests rows of x that are needed soon, for any row of the matrix.
          if (e + ahead < crow[last]) {
            const T* const soon = x + col[e + ahead] * step + j;
            for (int64_t i = 0; i < width; i += line) __builtin_prefetch(soon + i);
          }
          if (width == tile) {  // a number of steps that the compiler knows
            for (int64_t i = 0; i < tile; ++i) sums[i] += value * weft::sparse::load(row[i]);
          } else {
            for (int64_t i = 0; i < width; ++i) sums[i] += value * weft::sparse::load(row[i]);
          }
        }
        finish(sums, out + r * n + j, r, j, width);
      }
    }
  }

 private:
  /// Four sums of a row keep the additions from waiting for each other.
  WEFT_INLINE void vector(int64_t first, int64_t last) const {
    for (int64_t r = first; r < last; ++r) {
      C sums[4] = {C(0), C(0), C(0), C(0)};
      const SparseIndex end = crow[r + 1];
      SparseIndex e = crow[r];
      for (; e + 4 <= end; e += 4) {
        for (int i = 0; i < 4; ++i) {
          sums[i] += weft::sparse::load(values[e + i]) * weft::sparse::load(x[col[e + i] * step]);
        }
      }
      for (; e < end; ++e)
        sums[0] += weft::sparse::load(values[e]) * weft::sparse::load(x[col[e] * step]);
      const C sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      finish(&sum, out + r, r, 0, 1);
    }
  }
};

}  // namespace cpu::sparse

template <>
struct SparseLoops<Cpu> {
  static bool may_keep(Cpu) { return true; }

  static sparse::Facts inspect(const sparse::Pattern<Cpu>& p) {
    const SparseIndex* const crow = p.crow.data();
    const SparseIndex* const col = p.col.data();
    sparse::Facts facts;
    for (int64_t r = 0; r < p.rows; ++r) {
      const int64_t first = crow[r];
      const int64_t last = crow[r + 1];
      bool good = first >= 0 && first <= last && last <= p.count() && (r > 0 || first == 0) &&
                  (r < p.rows - 1 || last == p.count());
      for (int64_t e = first; good && e < last; ++e) {
        good = col[e] >= 0 && col[e] < p.columns && (e == first || col[e] > col[e - 1]);
      }
      if (!good) {
        facts.bad_row = r;
        break;
      }
      if (last - first > facts.longest) facts.longest = last - first;
    }
    return facts;
  }

  template <class T, class Out, class C>
  static void multiply(const char*, const sparse::Pattern<Cpu>& p, const Tensor<T, Cpu>& values,
                       const Tensor<T, Cpu>& x, const Tensor<Out, Cpu>& target,
                       const Epilogue<T, C>& epilogue) {
    const int64_t n = x.rank() == 1 ? 1 : x.shape()[1];
    cpu::sparse::Finish<T, Out> finish{epilogue.activation,
                                       static_cast<weft::sparse::sum_t<T>>(epilogue.alpha),
                                       static_cast<weft::sparse::sum_t<T>>(epilogue.beta),
                                       nullptr,
                                       0,
                                       0};
    if (epilogue.addend != nullptr) {
      const Layout b = layout::expand(epilogue.addend->layout(), target.shape());
      finish.addend = epilogue.addend->data();
      finish.addend_row = b.strides[0];
      finish.addend_column = target.rank() > 1 ? b.strides[1] : 0;
    }
    const cpu::sparse::Multiply<T, Out> loop{
        p.crow.data(), p.col.data(), values.data(), x.data(), sparse::row_step(x), target.data(), n,
        finish};
    cpu::sparse::each_rows(p.crow.data(), p.rows, n, loop);
  }

  template <class T, class Out>
  static void sample(const char*, const sparse::Pattern<Cpu>& p, const Tensor<T, Cpu>& a,
                     const Tensor<T, Cpu>& b, const Tensor<Out, Cpu>& target) {
    using C = weft::sparse::sum_t<T>;
    constexpr int64_t line = 64 / static_cast<int64_t>(sizeof(T));
    const int64_t n = a.shape()[1];
    const int64_t a_step = sparse::row_step(a);
    const int64_t b_step = sparse::row_step(b);
    const SparseIndex* const crow = p.crow.data();
    const SparseIndex* const col = p.col.data();
    const auto rows = [&](int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const T* const x = a.data() + r * a_step;
        for (SparseIndex e = crow[r]; e < crow[r + 1]; ++e) {
          const T* const y = b.data() + col[e] * b_step;
          if (e + cpu::sparse::ahead < crow[last]) {
            const T* const soon = b.data() + col[e + cpu::sparse::ahead] * b_step;
            for (int64_t i = 0; i < n; i += line) __builtin_prefetch(soon + i);
          }
          C sums[8] = {};
          int64_t j = 0;
          for (; j + 8 <= n; j += 8) {
            for (int i = 0; i < 8; ++i)
              sums[i] += weft::sparse::load(x[j + i]) * weft::sparse::load(y[j + i]);
          }
          for (; j < n; ++j) sums[0] += weft::sparse::load(x[j]) * weft::sparse::load(y[j]);
          const C sum = ((sums[0] + sums[1]) + (sums[2] + sums[3])) +
                        ((sums[4] + sums[5]) + (sums[6] + sums[7]));
          target.data()[e] = static_cast<Out>(sum);
        }
      }
    };
    cpu::sparse::each_rows(crow, p.rows, n + 1, rows);
  }
};

WEFT_MODEL(SparseDevice<Cpu>);

}  // namespace weft

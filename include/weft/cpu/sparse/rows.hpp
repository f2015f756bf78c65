// The product of two sparse matrices on the CPU, row by row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <vector>

#include "weft/cpu/sparse/loops.hpp"
#include "weft/ops/sparse/rows.hpp"

namespace weft {

/// Each row of the product is a sum of rows of b, kept in an array as long as a row (Gustavson
/// 1978): once to count its elements, once to compute them.
template <>
struct SparseRowsMultiplier<Cpu> {
  template <class T>
  static Csr<T> multiply(const Csr<T>& a, const Csr<T>& b) {
    using C = sparse::sum_t<T>;
    const Shape shape{a.rows(), b.columns()};
    const auto crow = zeros<SparseIndex>({a.rows() + 1});
    each_piece(a, b, [&](int64_t first, int64_t last) {
      std::vector<SparseIndex> seen(static_cast<std::size_t>(b.columns()), -1);
      for (int64_t r = first; r < last; ++r) {
        SparseIndex count = 0;
        each_element(a, b, r, [&](SparseIndex, SparseIndex, SparseIndex column) {
          SparseIndex& mark = seen[static_cast<std::size_t>(column)];
          count += mark != r ? 1 : 0;
          mark = static_cast<SparseIndex>(r);
        });
        crow.data()[r + 1] = count;
      }
    });
    int64_t total = 0;
    for (int64_t r = 1; r <= a.rows(); ++r) {
      total += crow.data()[r];
      if (total > INT32_MAX - 4096) sparse::check_sizes("matmul", shape, total);
      crow.data()[r] = static_cast<SparseIndex>(total);
    }
    const auto col = empty<SparseIndex>({total});
    const auto values = empty<T>({total});
    each_piece(a, b, [&](int64_t first, int64_t last) {
      std::vector<C> sums(static_cast<std::size_t>(b.columns()), C(0));
      std::vector<SparseIndex> seen(static_cast<std::size_t>(b.columns()), -1);
      for (int64_t r = first; r < last; ++r) {
        const SparseIndex begin = crow.data()[r];
        SparseIndex next = begin;
        each_element(a, b, r, [&](SparseIndex i, SparseIndex j, SparseIndex column) {
          const auto at = static_cast<std::size_t>(column);
          if (seen[at] != r) {
            seen[at] = static_cast<SparseIndex>(r);
            sums[at] = C(0);
            col.data()[next++] = column;
          }
          sums[at] += sparse::load(a.values().data()[i]) * sparse::load(b.values().data()[j]);
        });
        std::sort(col.data() + begin, col.data() + next);
        for (SparseIndex e = begin; e < next; ++e) {
          values.data()[e] = static_cast<T>(sums[static_cast<std::size_t>(col.data()[e])]);
        }
      }
    });
    return {sparse::make_pattern<Cpu>("matmul", crow, col, shape, {}), values};
  }

 private:
  /// Pieces of a's rows, one thread each; few per thread, since each needs memory for a row.
  template <class T, class F>
  static void each_piece(const Csr<T>& a, const Csr<T>& b, const F& f) {
    const int64_t in_a_row = b.rows() > 0 ? b.nnz() / b.rows() + 1 : 1;
    cpu::parallel(a.rows(), a.nnz() * in_a_row, f);
  }
  /// f(element of a, element of b, column) for each product in row r.
  template <class T, class F>
  static void each_element(const Csr<T>& a, const Csr<T>& b, int64_t r, const F& f) {
    const SparseIndex* const crow = b.crow_indices().data();
    const SparseIndex* const col = b.col_indices().data();
    for (SparseIndex i = a.crow_indices().data()[r]; i < a.crow_indices().data()[r + 1]; ++i) {
      const SparseIndex k = a.col_indices().data()[i];
      for (SparseIndex j = crow[k]; j < crow[k + 1]; ++j) f(i, j, col[j]);
    }
  }
};

}  // namespace weft

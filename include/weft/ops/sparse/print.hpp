// to_string(x) and stream << x of sparse matrices: a line for the matrix, one for each element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/sparse/convert.hpp"
#include "weft/tensor/print.hpp"

namespace weft {

/// `csr((2, 3), 2 elements, float32, cpu)` and a line `  (row, column)  value` for each element;
/// with more than `threshold` elements, only those at both ends.
template <SparseLike A>
Text to_string(const A& a, PrintOptions options = {}) {
  using T = typename A::value_type;
  Text out =
      detail::join({CsrLike<A> ? "csr(" : "coo(", a.shape(), ", ", a.nnz(),
                    a.nnz() == 1 ? " element, " : " elements, ", name(A::dtype()), ", ", a.device(),
                    detail::has_var<typename A::values_type> ? ", gradients)" : ")"});
  const int64_t n = a.nnz();
  const bool summary = n > options.threshold;
  const int64_t edge = summary ? (2 * options.edge_items < n ? options.edge_items : n / 2) : n;
  const auto from = a.row_indices();
  const auto part = [&](int64_t first, int64_t count) {
    const Tensor<SparseIndex, Cpu> rows = from.narrow(0, first, count).to(Cpu{});
    const Tensor<SparseIndex, Cpu> columns = a.col_indices().narrow(0, first, count).to(Cpu{});
    const Tensor<T, Cpu> values =
        a.detach().values().narrow(0, first, count).to(Cpu{}).contiguous();
    const auto texts = detail::number_texts(values.data(), count, options.precision, true);
    for (int64_t e = 0; e < count; ++e) {
      out += detail::join({"\n  (", rows.data()[e], ", ", columns.data()[e], ")  ",
                           texts[static_cast<std::size_t>(e)]});
    }
  };
  part(0, edge);
  if (summary) {
    out += "\n  ...";
    part(n - edge, edge);
  }
  return out;
}

/// Prints to_string(a) to a stream.
template <class S, SparseLike A>
  requires(TextStream<S> && !SparseLike<S>)
S& operator<<(S& stream, const A& a) {
  stream << to_string(a).c_str();
  return stream;
}

}  // namespace weft

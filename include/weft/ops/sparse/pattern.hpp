// Pattern: where the elements of a sparse matrix are, by rows; checked once and shared.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/compare.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/linalg/matmul.hpp"
#include "weft/ops/order/search.hpp"
#include "weft/ops/order/sort.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

/// The type of row offsets and column indices: half the memory traffic of int64, and enough for
/// 2^31 elements. Tensors of other integers are converted.
using SparseIndex = std::int32_t;

/// Whether a sparse matrix's indices are checked when it is made: one pass over them, whose result
/// CUDA has to wait for. `SparseOptions{.check = false}` is for indices known to be right.
struct SparseOptions {
  bool check = true;
};

namespace sparse {

/// What a pass over the indices finds.
struct Facts {
  int64_t bad_row =
      -1;  ///< the first one whose offsets or columns are wrong; -1 where all are right
  int64_t longest = 0;  ///< the elements of the fullest row
};

/// Row r has the elements crow[r] to crow[r + 1], in ascending columns, none twice. Immutable.
template <class D>
struct Pattern {
  Tensor<SparseIndex, D> crow;  // (rows + 1,)
  Tensor<SparseIndex, D> col;   // (elements,)
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t longest = -1;  // row; -1 before inspection

  int64_t count() const { return col.size(); }

  Pattern() = default;
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;
  ~Pattern() { delete turned; }

  /// The transposed pattern, and which element of this one each of its elements is.
  struct Turned {
    std::shared_ptr<const Pattern> pattern;
    Tensor<SparseIndex, D> order;
  };
  /// Computed at the first request, if memory allocated then may be kept; see transposed().
  mutable Turned* turned = nullptr;
};

template <class D>
using PatternHandle = std::shared_ptr<const Pattern<D>>;

}  // namespace sparse

/// Device D's loops over sparse matrices (cpu/sparse/loops.hpp, cuda/sparse/loops.hpp);
/// SparseDevice says what they provide.
template <class D>
struct SparseLoops;

/// A device with sparse matrices. multiply(operation, pattern, values, x, target, epilogue) writes
/// the epilogue of the matrix times x, of shape (columns,) or (columns, n), into elements T or
/// compute_t<T>; sample(operation, pattern, a, b, target) writes for each element the product of
/// its row of a and its column's row of b. Rows of x, a and b are neighbours, and may lie apart;
/// the target has elements and no gaps. inspect(pattern) checks the indices, and may_keep(device)
/// says whether what is computed now can be kept for later.
template <class D>
concept SparseDevice = requires(const char* operation, const sparse::Pattern<D>& pattern,
                                const Tensor<float, D>& x, const Epilogue<float, D>& epilogue,
                                D device) {
  SparseLoops<D>::multiply(operation, pattern, x, x, x, epilogue);
  SparseLoops<D>::sample(operation, pattern, x, x, x);
  { SparseLoops<D>::inspect(pattern) } -> std::same_as<sparse::Facts>;
  { SparseLoops<D>::may_keep(device) } -> std::same_as<bool>;
};

namespace sparse {

/// Whether the header with D's loops is included; if not, one compile error that names it.
template <class D>
constexpr bool is_included() {
  constexpr bool here = requires { sizeof(SparseLoops<D>); };
  static_assert(here || !is_cuda<D>,
                "weft: for sparse matrices on Cuda include <weft/sparse.hpp> in a .cu file");
  static_assert(here || is_cuda<D>, "weft: for sparse matrices include <weft/sparse.hpp>");
  return here;
}
template <class D>
using loops_of = SparseLoops<std::conditional_t<is_cuda<D>, Cuda, D>>;

/// Throws for a shape that is not a matrix's, or with too many places or elements for int32.
inline void check_sizes(const char* operation, const Shape& shape, int64_t count) {
  if (shape.rank() != 2 || shape[0] < 0 || shape[1] < 0) {
    fail<ShapeError>(operation, "shape ", shape, ", expected two sizes of at least 0");
  }
  constexpr int64_t most = INT32_MAX - 4096;  // kernels step a little beyond the end
  if (shape[0] > most || shape[1] > most || count > most) {
    fail<ShapeError>(operation, count, " elements of shape ", shape, ", expected at most ", most,
                     " elements, rows and columns");
  }
}

/// Integers as the indices of a pattern; finds those that int32 cannot hold first.
template <ExpressionLike I, class D>
Tensor<SparseIndex, D> as_indices(const char* operation, const char* what, const I& e, D device,
                                  const SparseOptions& options) {
  using U = typename I::value_type;
  static_assert(is_integer<U>, "weft: indices of a sparse matrix are integers");
  static_assert(
      std::is_same_v<common_device_t<typename I::device_type, D>, D>,
      "weft: indices and values of a sparse matrix are on one device: write x.to(device)");
  const Tensor<U, D> x = detail::Access::unconst(Tensor<const U, D>(detail::value_on(e, device)));
  if (x.rank() != 1) {
    fail<ShapeError>(operation, what, " of shape ", x.shape(), ", expected a vector");
  }
  if constexpr (std::is_same_v<U, SparseIndex>) {
    return x.contiguous();
  } else {
    if (options.check && x.size() > 0 && sizeof(U) >= sizeof(SparseIndex)) {
      const auto least = min(x).eval().item();
      const auto most = max(x).eval().item();
      if (std::is_signed_v<U> && static_cast<int64_t>(least) < 0) {
        fail<IndexError>(operation, least, " among the ", what, ", expected at least 0");
      }
      if (static_cast<std::uint64_t>(most) > INT32_MAX) {
        fail<IndexError>(operation, most, " among the ", what, ", expected less than 2^31");
      }
    }
    return cast<SparseIndex>(x);
  }
}

/// Says what is wrong with row r, whose indices are on the CPU now.
[[noreturn]] WEFT_ONCE inline void refuse_row(const char* operation, const Pattern<Cpu>& p,
                                              int64_t r) {
  const SparseIndex first = p.crow.data()[r];
  const SparseIndex last = p.crow.data()[r + 1];
  if (first < 0 || last < first || last > p.count() || (r == 0 && first != 0) ||
      (r == p.rows - 1 && last != p.count())) {
    fail<IndexError>(operation, "row offsets ", first, " and ", last, " of row ", r, " of ", p.rows,
                     ", expected ascending ones from 0 to the number of elements, ", p.count());
  }
  for (SparseIndex e = first; e < last; ++e) {
    const SparseIndex c = p.col.data()[e];
    if (c < 0 || c >= p.columns) {
      fail<IndexError>(operation, "column ", c, " in row ", r, ", expected 0 to ", p.columns - 1);
    }
    if (e > first && c <= p.col.data()[e - 1]) {
      fail<IndexError>(operation, "columns ", p.col.data()[e - 1], " and ", c, " in row ", r,
                       ", expected ascending ones: coo(rows, columns, values, shape).to_csr() "
                       "sorts them and adds equal ones");
    }
  }
  fail<IndexError>(operation, "row ", r, " has wrong indices");
}

/// A pattern of indices that are tensors of its own; checked unless told otherwise.
template <class D>
PatternHandle<D> make_pattern(const char* operation, const Tensor<SparseIndex, D>& crow,
                              const Tensor<SparseIndex, D>& col, const Shape& shape,
                              const SparseOptions& options) {
  check_sizes(operation, shape, col.size());
  if (crow.size() != shape[0] + 1) {
    fail<ShapeError>(operation, "row offsets of shape ", crow.shape(), " for ", shape[0],
                     " rows, expected one more than rows");
  }
  const auto p = std::make_shared<Pattern<D>>();
  p->crow = crow;
  p->col = col;
  p->rows = shape[0];
  p->columns = shape[1];
  if constexpr (is_included<std::conditional_t<is_cuda<D>, Cuda, D>>()) {
    if (options.check) {
      const Facts facts = loops_of<D>::inspect(*p);
      p->longest = facts.longest;
      if (facts.bad_row >= 0) {
        Pattern<Cpu> here;
        here.crow = crow.to(Cpu{});
        here.col = col.to(Cpu{});
        here.rows = p->rows;
        here.columns = p->columns;
        refuse_row(operation, here, facts.bad_row);
      }
      if (p->rows == 0 && p->count() > 0) {
        fail<IndexError>(operation, p->count(), " elements of no rows, expected none");
      }
    }
  }
  return p;
}

/// The row of each element.
template <class D>
Tensor<SparseIndex, D> rows_of(const Pattern<D>& p) {
  if constexpr (std::is_same_v<D, Cpu>) {
    const auto out = detail::Access::allocate<SparseIndex, D>({p.count()}, D{});
    for (int64_t r = 0; r < p.rows; ++r) {
      for (SparseIndex e = p.crow.data()[r]; e < p.crow.data()[r + 1]; ++e) {
        out.data()[e] = static_cast<SparseIndex>(r);
      }
    }
    return out;
  } else {
    const auto entries = arange<SparseIndex>(0, p.count(), 1, p.crow.device());
    return cast<SparseIndex>(searchsorted(p.crow, entries, Side::right) - int64_t{1});
  }
}

/// The row offsets of ascending rows.
template <class D>
Tensor<SparseIndex, D> offsets_of(const Tensor<SparseIndex, D>& rows, int64_t count) {
  if constexpr (std::is_same_v<D, Cpu>) {
    const auto out = detail::Access::allocate<SparseIndex, D>({count + 1}, D{});
    SparseIndex e = 0;
    for (int64_t r = 0; r <= count; ++r) {
      while (e < rows.size() && rows.data()[e] < r) ++e;
      out.data()[r] = e;
    }
    return out;
  } else {
    const auto starts = arange<SparseIndex>(0, count + 1, 1, rows.device());
    return cast<SparseIndex>(searchsorted(rows, starts));
  }
}

/// The transposed pattern of p, in new memory.
template <class D>
typename Pattern<D>::Turned turn(const Pattern<D>& p) {
  const auto out = std::make_shared<Pattern<D>>();
  out->rows = p.columns;
  out->columns = p.rows;
  Tensor<SparseIndex, D> order;
  if constexpr (std::is_same_v<D, Cpu>) {
    const int64_t n = p.count();
    out->crow = zeros<SparseIndex>({p.columns + 1});
    out->col = detail::Access::allocate<SparseIndex, D>({n}, D{});
    order = detail::Access::allocate<SparseIndex, D>({n}, D{});
    SparseIndex* const start = out->crow.data();
    for (int64_t e = 0; e < n; ++e) ++start[p.col.data()[e] + 1];
    for (int64_t c = 0; c < p.columns; ++c) {
      if (start[c + 1] > out->longest) out->longest = start[c + 1];
      start[c + 1] += start[c];
    }
    for (int64_t r = 0; r < p.rows; ++r) {
      for (SparseIndex e = p.crow.data()[r]; e < p.crow.data()[r + 1]; ++e) {
        const SparseIndex to = start[p.col.data()[e]]++;
        out->col.data()[to] = static_cast<SparseIndex>(r);
        order.data()[to] = e;
      }
    }
    for (int64_t c = p.columns; c > 0; --c) start[c] = start[c - 1];
    start[0] = 0;
  } else {
    const auto sorted = sort(p.col);
    order = cast<SparseIndex>(sorted.indices);
    out->crow = offsets_of(Tensor<SparseIndex, D>(sorted.values), p.columns);
    out->col = take(rows_of(p), order);
  }
  return {out, order};
}

/// The transposed pattern: kept with p, since each backward pass of a layer asks for it.
template <class D>
typename Pattern<D>::Turned transposed(const PatternHandle<D>& p) {
  using Turned = typename Pattern<D>::Turned;
  if (const Turned* const known = __atomic_load_n(&p->turned, __ATOMIC_ACQUIRE)) return *known;
  Turned made = turn(*p);
  if (loops_of<D>::may_keep(p->crow.device())) {
    auto* const kept = new Turned(made);
    Turned* none = nullptr;
    if (!__atomic_compare_exchange_n(&p->turned, &none, kept, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_RELAXED)) {
      delete kept;
    }
  }
  return made;
}

}  // namespace sparse
}  // namespace weft

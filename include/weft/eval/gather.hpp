// Lowering of gathers: positions of the tensor as an operand, and its address in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/gathered_inside.hpp"
#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/lower.hpp"
#include "weft/eval/program/overlap.hpp"
#include "weft/eval/rows/program.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft {
template <class D>
struct RowExecutor;  // in eval/rows/rows.hpp
}  // namespace weft

namespace weft::detail {

// Defined in eval/assign.hpp.
template <class T, class D, class E>
Tensor<T, D> materialize_on(const E& e, D device);
template <class E>
StorageHandle note_found(const Shape& shape, int64_t bytes);

/// Names the places of the rows of a gather.
template <class E>
struct RowsOf;

template <Indexing How>
using finder_of = std::conditional_t<How == Indexing::whole, AtPosition, AlongAxis>;

/// AlongAxis with one index per element: a type of its own, so that no slice kernel is
/// instantiated.
struct AlongOwnAxis : AlongAxis {};
template <Indexing How, class D>
using gather_finder =
    std::conditional_t<How == Indexing::along && is_cuda<D>, AlongOwnAxis, finder_of<How>>;

/// Sets `offsets` to the position in `x` of each coordinate of `shape`, before the index is added.
WEFT_OUTLINED inline void set_offsets(Operand& offsets, Indexing how, const Layout& x, int axis,
                                      const Shape& shape) {
  const bool instead = how == Indexing::instead && x.rank() > 0;
  const int index_rank = instead ? shape.rank() - x.rank() + 1 : shape.rank();
  offsets.set(reinterpret_cast<const void*>(IndexOperand::origin), 1, shape,
              offset_strides(how, x, axis, index_rank), nullptr);
}

/// Marks an operand of offsets as reading anywhere in the tensor that `x` describes.
WEFT_OUTLINED inline void set_gathered(Operand& offsets, const Operand& x) {
  const char* first = nullptr;
  const char* last = nullptr;
  byte_range(x, first, last);
  offsets.gathered = x.itemsize;
  offsets.reached = first;
  offsets.reached_bytes = last - first;
  offsets.storage = x.storage;
}

/// Appends axes of size 1 to the operands of the indices.
WEFT_OUTLINED inline void append_axes(Operand* operands, int n, int axes) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < axes; ++k) {
      operands[i].size[operands[i].rank] = 1;
      operands[i].stride[operands[i].rank++] = 0;
    }
  }
}

/// The range that indices into `x` are checked against, and where a failure is reported.
template <class D>
IndexRange index_range(const char* operation, Indexing how, const Shape& x, int axis,
                       [[maybe_unused]] const Storage* storage) {
  IndexRange range{indexed_size(how, x, axis), nullptr, operation, -1};
  if constexpr (can_run<D>()) {
    using Any = std::conditional_t<is_cuda<D>, Cuda, D>;
    Any device{};
    if constexpr (is_cuda<D>) {
      if (storage != nullptr) device.ordinal = range.ordinal = storage->ordinal;
    }
    range.failure = Executor<Any>::failure_flag(device);
  }
  return range;
}

template <class K, class E, class I>
struct Lowering<Gather<K, E, I>> {
  using element = typename decltype(gathered_element<E>())::type;
  using types =
      typename Join<TypeList<>, TypeList<IndexOperand>, typename Lowering<I>::types>::type;

  template <int B, class...>
  static auto lower(const Gather<K, E, I>& e, Operand* operands) {
    using D = typename E::device_type;
    using Finder = gather_finder<K::how, D>;
    using Op = op::gathered<element, Finder>;
    using Offsets = Arg<B, IndexOperand>;
    constexpr int n = count(typename Lowering<I>::types{});
    Operand& offsets = operands[B];
    const Tensor<element, D> x = value(e.operand());
    if constexpr (!is_tensor<E> && !is_gathered_inside<E>) offsets.keep = Access::storage(x);
    Operand all;
    all.set(x.data(), sizeof(element), x.shape(), x.strides(), x.storage());
    set_offsets(offsets, K::how, x.layout(), e.axis(), e.shape());
    set_gathered(offsets, all);
    auto index = Lowering<I>::template lower<B + 1>(e.indices(), operands);
    if (K::how == Indexing::instead) append_axes(operands + B + 1, n, x.rank() - e.axis() - 1);
    IndexRange range = index_range<D>(K::text, K::how, x.shape(), e.axis(), x.storage());
    if constexpr (requires { K::labels; }) range.labels = K::labels;
    Finder* const kind = nullptr;
    const Apply<Op, Offsets, decltype(index)> gathered{
        {Finder{finder(kind, range, x.layout(), e.axis())}, x.data()}, make_pack(Offsets{}, index)};
    if constexpr (is_gathered_inside<E>) {
      return GatheredInside<E>::program(e.operand(), gathered);
    } else {
      return gathered;
    }
  }

 private:
  static Tensor<element, typename E::device_type> value(const E& x) {
    if constexpr (is_tensor<E>) {
      check_current(x);
      return x;
    } else if constexpr (is_gathered_inside<E>) {
      check_current(GatheredInside<E>::leaf(x));
      return GatheredInside<E>::leaf(x);
    } else {
      return materialize_on<element, typename E::device_type>(x, {});
    }
  }
};

/// On CUDA, rows selected by indices are gathered before a row program: otherwise each of its
/// reductions and outputs would look up every element again.
template <class K, class E, class I>
inline constexpr unsigned contents_of<Gather<K, E, I>> =
    K::how == Indexing::instead &&
            (is_tensor<E> || is_gathered_inside<E>)&&is_cuda<typename E::device_type>
        ? Contents::gathered_rows
        : Contents::others;

/// Whether a row program may read the rows of a gather where they are: those of a tensor, of a
/// length that keeps vectors of every operand aligned.
template <class K, class E, class I>
bool finds_rows(const Gather<K, E, I>& e) {
  if constexpr (is_tensor<E> && is_tensor<I>) {
    constexpr int lanes = 8;  // of the longest vectors
    constexpr int itemsize = sizeof(typename E::value_type);
    constexpr int aligned = itemsize == 1 ? 16 : lanes;  // elements, such that they are whole words
    const E& x = e.operand();
    if (e.axis() != 0 || x.rank() < 2 || e.size() == 0 || x.size() == 0) return false;
    const int64_t length = x.size() / x.shape()[0];
    Strides whole = contiguous_strides(x.shape());
    for (int i = 1; i < x.rank(); ++i) {
      if (x.shape()[i] != 1 && x.strides()[i] != whole[i]) return false;
    }
    const auto address = reinterpret_cast<std::uintptr_t>(x.data());
    return length % lanes == 0 && x.strides()[0] % aligned == 0 &&
           address % (aligned * itemsize) == 0 && e.indices().is_contiguous();
  } else {
    return false;
  }
}

template <class K, class E, class I>
struct RowLowering<Gather<K, E, I>, true> {
  using D = typename Gather<K, E, I>::device_type;
  using value = std::remove_const_t<typename E::value_type>;
  using types = TypeList<value>;
  static constexpr int reductions = 0;

  template <int B, int>
  static RowPart<Arg<B, value>, Pack<>> lower(const Gather<K, E, I>& e, Operand* operands,
                                              RowNode*) {
    Operand& rows = operands[B];
    rows.opaque = &e;
    rows.same = same_expression<Gather<K, E, I>>;
    if constexpr (is_tensor<E>) {
      if (finds_rows(e)) {
        const auto& x = e.operand();
        Operand all;
        all.set(x.data(), sizeof(value), x.shape(), x.strides(), x.storage());
        rows.set(x.data(), sizeof(value), e.shape(), contiguous_strides(e.shape()), x.storage());
        set_gathered(rows, all);
        rows.settle = settle;
        rows.row_rank = x.rank() - 1;
        return {};
      }
    }
    for (int i = 0; i < B; ++i) {
      if (operands[i].same == rows.same && rows.same(operands[i].opaque, &e)) {
        rows = operands[i];
        return {};
      }
    }
    evaluate(rows);
    return {};
  }

 private:
  static const Gather<K, E, I>& of(const Operand& x) {
    return *static_cast<const Gather<K, E, I>*>(x.opaque);
  }
  static void evaluate(Operand& out) {
    const Tensor<value, D> rows = materialize_on<value, D>(of(out), D{});
    out.set(rows.data(), sizeof(value), rows.shape(), rows.strides(), rows.storage());
    out.keep = Access::storage(rows);
    out.gathered = 0;
  }
  static void settle(Operand& out, bool find_rows) {
    using Finder = RowExecutor<loops_of<D>>;
    if constexpr (is_tensor<E> && is_tensor<I> && requires { Finder::finds_rows; }) {
      if (find_rows) {
        const auto& e = of(out);
        const auto& x = e.operand();
        const IndexRange range = index_range<D>(K::text, K::how, x.shape(), 0, x.storage());
        out.keep = note_found<RowsOf<Gather<K, E, I>>>(e.shape(), e.indices().size() * 8);
        if (out.keep) {
          out.rows = static_cast<const int64_t*>(out.keep->data);
        } else {
          Finder::find_rows(name_of<Gather<K, E, I>>(), e.shape(), x, e.indices(), range, out);
        }
        return;
      }
    }
    evaluate(out);
  }
};

}  // namespace weft::detail

// Lowering of gathers: positions of the tensor as an operand, and its address in the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/lower.hpp"
#include "weft/eval/rows/program.hpp"
#include "weft/ops/index/gather.hpp"

namespace weft::detail {

// Defined in eval/assign.hpp.
template <class T, class D, class E>
Tensor<T, D> materialize_on(const E& e, D device);

template <Indexing How>
using finder_of = std::conditional_t<How == Indexing::whole, AtPosition, AlongAxis>;

/// The place of an element of `x` without what an index adds to it, at coordinates of `shape`.
WEFT_OUTLINED inline void set_offsets(Operand& offsets, Indexing how, const Layout& x, int axis,
                                      const Shape& shape) {
  const int index_rank = how == Indexing::instead ? shape.rank() - x.rank() + 1 : shape.rank();
  offsets.set(reinterpret_cast<const void*>(IndexOperand::origin), 1, shape,
              offset_strides(how, x, axis, index_rank), nullptr);
}

/// Makes an operand of offsets stand for reads anywhere in the tensor that `x` describes.
WEFT_OUTLINED inline void set_gathered(Operand& offsets, const Operand& x) {
  const char* first = nullptr;
  const char* last = nullptr;
  byte_range(x, first, last);
  offsets.gathered = x.itemsize;
  offsets.reached = first;
  offsets.reached_bytes = last - first;
  offsets.storage = x.storage;
}

/// Gives the operands of indices the axes of size 1 that they have behind their own.
WEFT_OUTLINED inline void append_axes(Operand* operands, int n, int axes) {
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < axes; ++k) {
      operands[i].size[operands[i].rank] = 1;
      operands[i].stride[operands[i].rank++] = 0;
    }
  }
}

/// How indices into `x` are checked on its device.
template <class D>
IndexRange index_range(const char* operation, Indexing how, const Shape& x, int axis,
                       [[maybe_unused]] const Storage* storage) {
  IndexRange range{indexed_size(how, x, axis), nullptr, operation, -1};
  if constexpr (is_included<D>()) {
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
  using element =
      std::conditional_t<is_tensor<E>, typename E::value_type, compute_t<typename E::value_type>>;
  using types =
      typename Join<TypeList<>, TypeList<IndexOperand>, typename Lowering<I>::types>::type;

  template <int B>
  static auto lower(const Gather<K, E, I>& e, Operand* operands) {
    using Finder = finder_of<K::how>;
    using Op = op::gathered<element, Finder>;
    using Offsets = Arg<B, IndexOperand>;
    using D = typename E::device_type;
    constexpr int n = count(typename Lowering<I>::types{});
    Operand& offsets = operands[B];
    const Tensor<element, D> x = value(e.operand());
    if constexpr (!is_tensor<E>) offsets.keep = Access::storage(x);
    Operand all;
    all.set(x.data(), sizeof(element), x.shape(), x.strides(), x.storage());
    set_offsets(offsets, K::how, x.layout(), e.axis(), e.shape());
    set_gathered(offsets, all);
    auto index = Lowering<I>::template lower<B + 1>(e.indices(), operands);
    if (K::how == Indexing::instead) append_axes(operands + B + 1, n, x.rank() - e.axis() - 1);
    IndexRange range = index_range<D>(K::text, K::how, x.shape(), e.axis(), x.storage());
    if constexpr (requires { K::labels; }) range.labels = K::labels;
    Finder* const kind = nullptr;
    return Apply<Op, Offsets, decltype(index)>{
        {finder(kind, range, x.layout(), e.axis()), x.data()}, make_pack(Offsets{}, index)};
  }

 private:
  static Tensor<element, typename E::device_type> value(const E& x) {
    if constexpr (is_tensor<E>) {
      check_current(x);
      return x;
    } else {
      return materialize_on<element, typename E::device_type>(x, {});
    }
  }
};

/// Rows that indices pick are gathered before a row program on CUDA: its reductions and outputs
/// would look them up again each, element by element, and keep none of them.
template <class K, class E, class I>
inline constexpr bool is_evaluated_before_rows<Gather<K, E, I>> =
    K::how == Indexing::instead&& is_tensor<E>&& is_cuda<typename E::device_type>;

/// Whether two gathers of one type are of the same elements.
template <class K, class E, class I>
bool same_gather(const void* a, const void* b) {
  const auto& x = *static_cast<const Gather<K, E, I>*>(a);
  const auto& y = *static_cast<const Gather<K, E, I>*>(b);
  return x.axis() == y.axis() && same_value(x.operand(), y.operand()) &&
         same_value(x.indices(), y.indices());
}

template <class K, class E, class I>
struct RowLowering<Gather<K, E, I>, true> {
  using value = std::remove_const_t<typename E::value_type>;
  using types = TypeList<value>;
  static constexpr int reductions = 0;

  template <int B, int>
  static RowPart<Arg<B, value>, Pack<>> lower(const Gather<K, E, I>& e, Operand* operands,
                                              RowNode*) {
    using D = typename Gather<K, E, I>::device_type;
    for (int i = 0; i < B; ++i) {
      if (operands[i].same == same_gather<K, E, I> &&
          same_gather<K, E, I>(operands[i].opaque, &e)) {
        operands[B] = operands[i];
        return {};
      }
    }
    const Tensor<value, D> rows = materialize_on<value, D>(e, D{});
    operands[B].set(rows.data(), sizeof(value), rows.shape(), rows.strides(), rows.storage());
    operands[B].keep = Access::storage(rows);
    operands[B].opaque = &e;
    operands[B].same = same_gather<K, E, I>;
    return {};
  }
};

}  // namespace weft::detail

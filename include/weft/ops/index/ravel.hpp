// Row-major positions and the indices that lead to them: ravel_multi_index, unravel_index.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "weft/ops/index/gather.hpp"
#include "weft/tensor/factory.hpp"

namespace weft {

namespace op {
/// The position after one more index, given that of the axes before.
struct raveled {
  using result_type = std::int64_t;
  static constexpr const char* text = "ravel_multi_index";
  static constexpr bool has_effects = true;
  IndexRange range;
  template <class I>
  WEFT_HD std::int64_t value(long long before, I index) const {
    const long long place = range.place(index);
    return before * range.size + (place < 0 ? 0 : place);
  }
};
/// The coordinate along an axis of the element at a position.
struct unraveled {
  using result_type = std::int64_t;
  static constexpr const char* text = "unravel_index";
  static constexpr bool has_effects = true;
  IndexRange range;
  long long inner;
  long long size;
  template <class I>
  WEFT_HD std::int64_t value(I index) const {
    const long long place = range.place(index);
    return place < 0 ? 0 : place / inner % size;
  }
};
}  // namespace op

namespace detail {
// Defined in eval/gather.hpp.
template <class D>
IndexRange index_range(const char* operation, Indexing how, const Shape& x, int axis,
                       const Storage* storage);

/// The check of indices into an axis of `size` elements.
template <class D>
IndexRange range_of_axis(const char* operation, int64_t size, const Storage* storage) {
  return index_range<D>(operation, Indexing::along, Shape{size}, 0, storage);
}

/// The positions in a space of the axes of `sizes` from `axis` on that indices name, behind those
/// that lead to `before`.
template <class D, class... Rest, class I>
auto raveled_from(const char* operation, const Shape& sizes, int axis, const Storage* storage,
                  const auto& before, const I& index, const Rest&... rest) {
  using Before = std::remove_cvref_t<decltype(before)>;
  using Node = Map<int64_t, op::raveled, Before, operand_t<int64_t, I>>;
  static_assert(is_integer<element_of_t<I>>,
                "weft: indices are integers: write "
                "cast<std::int64_t>(i)");
  const Node here(op::raveled{range_of_axis<D>(operation, sizes[axis], storage)}, before, index);
  if constexpr (sizeof...(Rest) == 0) {
    return here;
  } else {
    return raveled_from<D>(operation, sizes, axis + 1, storage, here, rest...);
  }
}
}  // namespace detail

/// The row-major positions in an array of the given sizes, from a vector of indices for each axis.
template <class I, Device D>
Tensor<int64_t, D> ravel_multi_index(const std::vector<Tensor<I, D>>& indices, const Shape& sizes) {
  if (indices.empty() || static_cast<int>(indices.size()) != sizes.rank()) {
    fail<IndexError>("ravel_multi_index", indices.size(), " indices for sizes ", sizes,
                     ", expected one for each");
  }
  using Node = Map<int64_t, op::raveled, Tensor<int64_t, D>, Tensor<I, D>>;
  Tensor<int64_t, D> out = zeros<int64_t>({}, indices[0].device());
  for (std::size_t k = 0; k < indices.size(); ++k) {
    const auto range = detail::range_of_axis<D>("ravel_multi_index", sizes[static_cast<int>(k)],
                                                indices[k].storage());
    out = Tensor<int64_t, D>(Node(op::raveled{range}, out, indices[k]));
  }
  return out;
}
template <class I, Device D>
Tensor<int64_t, D> ravel_multi_index(std::initializer_list<Tensor<I, D>> indices,
                                     const Shape& sizes) {
  return ravel_multi_index(std::vector<Tensor<I, D>>(indices), sizes);
}
/// The coordinates of row-major positions in an array of the given sizes, as a tensor for each
/// axis.
template <ExpressionLike I>
auto unravel_index(const I& e, const Shape& sizes) {
  const auto flat = e.eval();
  using D = typename I::device_type;
  using X = typename I::value_type;
  using Node = Map<int64_t, op::unraveled, Tensor<X, D>>;
  const auto range = detail::range_of_axis<D>("unravel_index", sizes.size(), flat.storage());
  const Strides inner = contiguous_strides(sizes);
  std::vector<Tensor<int64_t, D>> out;
  for (int i = 0; i < sizes.rank(); ++i) {
    out.push_back(Tensor<int64_t, D>(Node(op::unraveled{range, inner[i], sizes[i]}, flat)));
  }
  return out;
}

/// The coordinates of one row-major position.
inline std::vector<int64_t> unravel_index(int64_t position, const Shape& sizes) {
  const int64_t count = sizes.size();
  if (position < -count || position >= count) {
    fail<IndexError>("unravel_index", "index ", position, ", expected ", -count, " to ", count - 1);
  }
  std::vector<int64_t> out(static_cast<std::size_t>(sizes.rank()));
  int64_t rest = position < 0 ? position + count : position;
  for (int i = sizes.rank() - 1; i >= 0; --i) {
    out[static_cast<std::size_t>(i)] = rest % sizes[i];
    rest /= sizes[i];
  }
  return out;
}

}  // namespace weft

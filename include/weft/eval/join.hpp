// cat and stack inside larger expressions: parts are read in place, in one kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/moved.hpp"
#include "weft/ops/join.hpp"

namespace weft {

namespace op {
/// The elements before a place of an axis, or from there on.
struct before_place {
  static constexpr const char* text = "cat";
  long long place;
  template <class T>
  WEFT_HD T value(long long i, T first, T rest) const {
    return i < place ? first : rest;
  }
};
}  // namespace op

namespace detail {

/// Whether a statement computes all parts itself, on CUDA with few operands; otherwise they are
/// evaluated before it, in long stretches.
template <class... Es>
inline constexpr bool reads_parts = is_cuda<common_device_of<Es...>> &&
                                    (moves_by_leaves<Es> && ...) && (leaf_count<Es> + ...) <= 6;

/// Where a part stands: along the axis before which `behind` others lie, counted from the last one.
struct PartPlace {
  using kind = placing::part;
  int behind;
  int64_t before;
  int64_t length;
  int64_t whole;
  bool stacks;

  template <class T, class D>
  Rearranged<kind, Tensor<T, D>> operator()(const Tensor<T, D>& x) const {
    const int axis = x.rank() - behind - (stacks ? 0 : 1);
    if (axis < 0) return {Tensor<T, D>(x), Places(x.shape()), {}};  // the same in all of it
    const Tensor<T, D> raised = stacks ? Tensor<T, D>(x.unsqueeze(axis)) : x;
    Places places(raised.shape());
    if (raised.size(axis) == length) {
      places.add({axis, length, whole, before, PadMode::constant});
    }
    return {Tensor<T, D>(raised), places, {}};
  }
};

/// cat or stack as an element-wise expression.
template <class E>
struct JoinedParts;
template <class K, class... Es>
struct JoinedParts<Joined<K, Es...>> {
  using Node = Joined<K, Es...>;

  static auto of(const Node& e) { return rest<0>(e, 0); }

 private:
  template <int I>
  static auto rest(const Node& e, int64_t before) {
    using T = typename Node::value_type;
    const auto& part = get<I>(e.args());
    using E = std::remove_cvref_t<decltype(part)>;
    const Shape& shape = e.shape();
    const int64_t length = K::stacks ? 1 : part.shape()[e.axis()];
    const auto here = Moved<PartPlace, E>::of(
        part, PartPlace{shape.rank() - 1 - e.axis(), before, length, shape[e.axis()], K::stacks});
    if constexpr (I + 1 == sizeof...(Es)) {
      return here;
    } else {
      Strides strides;
      for (int i = 0; i < shape.rank(); ++i) strides.push_back(i == e.axis() ? 1 : 0);
      const auto others = rest<I + 1>(e, before + length);
      using Here = std::remove_const_t<decltype(here)>;
      using Others = std::remove_const_t<decltype(others)>;
      return Map<T, op::before_place, Positions, Here, Others>(
          op::before_place{before + length}, Positions(shape, strides, 0), here, others);
    }
  }
};

template <class K, class... Es>
  requires reads_parts<Es...>
struct Lowering<Joined<K, Es...>> {
  using Parts = JoinedParts<Joined<K, Es...>>;
  using Whole = decltype(Parts::of(std::declval<const Joined<K, Es...>&>()));
  using types = typename Lowering<Whole>::types;
  template <int B, class...>
  static auto lower(const Joined<K, Es...>& e, Operand* operands) {
    return Lowering<Whole>::template lower<B>(Parts::of(e), operands);
  }
};

template <class K, class... Es>
struct RowLowering<Joined<K, Es...>, false> : OpaqueRowLowering<Joined<K, Es...>> {};

}  // namespace detail
}  // namespace weft

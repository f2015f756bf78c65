// Gathers of element-wise expressions, which read the one tensor inside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program/lower.hpp"

namespace weft::detail {

/// Whether a gather of an element-wise expression can gather from the one tensor that it reads
/// instead, so that only gathered elements are computed (on CUDA); and how many tensors it reads.
template <class E>
struct GatheredInside {
  static constexpr bool passes = false;
  static constexpr int tensors = 0;
};
template <class T>
struct GatheredInside<Scalar<T>> {
  static constexpr bool passes = true;
  static constexpr int tensors = 0;
  template <class P>
  static Constant<T> program(const Scalar<T>& e, const P&) {
    return {e.value};
  }
};
template <class T, class D>
struct GatheredInside<Tensor<T, D>> {
  static constexpr bool passes = is_cuda<D>;
  static constexpr int tensors = 1;
  static const Tensor<T, D>& leaf(const Tensor<T, D>& e) { return e; }
  template <class P>
  static P program(const Tensor<T, D>&, const P& gathered) {
    return gathered;
  }
};
template <class T, class Op, class... Args>
struct GatheredInside<Map<T, Op, Args...>> {
  static constexpr bool passes = (GatheredInside<Args>::passes && ...) &&
                                 (Effects::of<Op>() & (Effects::draws | Effects::acts)) == 0;
  static constexpr int tensors = (GatheredInside<Args>::tensors + ... + 0);
  static const auto& leaf(const Map<T, Op, Args...>& e) { return leaf_among(e.args()); }
  /// The formula's program, with `gathered` for its tensor.
  template <class P>
  static auto program(const Map<T, Op, Args...>& e, const P& gathered) {
    return apply(e, gathered, std::index_sequence_for<Args...>{});
  }

 private:
  template <class X, class... Xs>
  static const auto& leaf_among(const Pack<X, Xs...>& args) {
    if constexpr (GatheredInside<X>::tensors == 1) {
      return GatheredInside<X>::leaf(args.head);
    } else {
      return leaf_among(args.tail);
    }
  }
  template <class P, std::size_t... J>
  static auto apply(const Map<T, Op, Args...>& e, const P& gathered, std::index_sequence<J...>) {
    auto programs =
        make_pack(GatheredInside<Args>::program(get<static_cast<int>(J)>(e.args()), gathered)...);
    return Apply<Op, decltype(GatheredInside<Args>::program(get<static_cast<int>(J)>(e.args()),
                                                            gathered))...>{settled(e.op()),
                                                                           programs};
  }
};
template <class E>
inline constexpr bool is_gathered_inside =
    !is_tensor<E> && GatheredInside<E>::passes && GatheredInside<E>::tensors == 1;

/// The element type that a gather of E loads, as a std::type_identity: of the one tensor in it, or
/// of E's value.
template <class E>
constexpr auto gathered_element() {
  if constexpr (is_gathered_inside<E>) {
    using T = std::remove_cvref_t<decltype(GatheredInside<E>::leaf(std::declval<const E&>()))>;
    return std::type_identity<typename T::value_type>{};
  } else {
    return std::type_identity<std::conditional_t<is_tensor<E>, typename E::value_type,
                                                 compute_t<typename E::value_type>>>{};
  }
}

}  // namespace weft::detail

// Rearranged expressions (pad, roll) computed in the statement's own kernel, at other coordinates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/opaque.hpp"
#include "weft/eval/rearrange.hpp"

namespace weft {

namespace op {
/// The value where a rearrangement finds an element, the fill value elsewhere.
template <class T, class K>
struct inside {
  static constexpr const char* text = K::text;
  rearranged<T, K> places;
  WEFT_HD compute_t<T> value(long long position, compute_t<T> x) const {
    long long ignored = 0;
    return places.find(ignored, position) ? x : places.fill;
  }
};
}  // namespace op

namespace detail {

/// An expression with how(tensor) in place of each tensor.
template <class How, class E>
struct Moved {
  using type = E;
  static const E& of(const E& e, const How&) { return e; }
};
template <class How, class T, class D>
struct Moved<How, Tensor<T, D>> {
  using type = Rearranged<typename How::kind, Tensor<T, D>>;
  static type of(const Tensor<T, D>& x, const How& how) { return how(x); }
};
template <class How, class T, class Op, class... Args>
struct Moved<How, Map<T, Op, Args...>> {
  using type = Map<T, Op, typename Moved<How, Args>::type...>;
  static type of(const Map<T, Op, Args...>& e, const How& how) {
    return with_operands<type>(
        e, [&]<class X>(const X& x) -> decltype(auto) { return Moved<How, X>::of(x, how); });
  }
};

/// Tensors read at a rearrangement's places, along the axes that they do not broadcast along.
template <class K>
struct AtPlaces {
  using kind = K;
  const Places& places;

  template <class T, class D>
  Rearranged<K, Tensor<T, D>> operator()(const Tensor<T, D>& x) const {
    Places mine(x.shape());
    for (int i = 0; i < places.count; ++i) {
      AxisPlaces a = places.axes[i];
      a.axis -= places.shape.rank() - x.rank();
      if (a.axis >= 0 && x.size(a.axis) == a.from) mine.add(a);
    }
    return {Tensor<T, D>(x), mine, {}};
  }
};

/// A rearrangement of an expression as an expression of rearranged tensors.
template <class K, class E>
struct MovedWhole {
  using T = typename E::value_type;
  static auto of(const Rearranged<K, E>& e) {
    const Places& places = e.places();
    const auto tree = Moved<AtPlaces<K>, E>::of(e.operand(), AtPlaces<K>{places});
    if constexpr (std::is_base_of_v<placing::pad, K>) {
      if (!fits_in_kernel(places)) {
        fail<ShapeError>(
            K::text, "an expression of shape ", e.operand().shape(), " to ", e.shape(),
            ", expected at most 4 axes that change, of less than 2^30 elements: evaluate it first");
      }
      op::inside<T, K> inside{{nullptr, e.fill(), places.count, false, false, {}}};
      Operand operands[2];
      const Shape shape = e.operand().shape();
      set_places(places, layout::contiguous(shape), operands, inside.places.axes, false);
      Strides strides;
      for (int i = 0; i < shape.rank(); ++i) strides.push_back(operands[1].stride[i]);
      using Tree = std::remove_const_t<decltype(tree)>;
      return Map<T, op::inside<T, K>, Positions, Tree>(inside, Positions(places.shape, strides, 0),
                                                       tree);
    } else {
      return tree;
    }
  }
};

/// Expressions of few tensors are computed directly at the rearranged coordinates.
template <class K, class E>
  requires(is_cuda<typename E::device_type>&& is_moved_by_leaves<E>)
struct Lowering<Rearranged<K, E>> {
  using Whole = decltype(MovedWhole<K, E>::of(std::declval<const Rearranged<K, E>&>()));
  using types = typename Lowering<Whole>::types;
  template <int B, class...>
  static auto lower(const Rearranged<K, E>& e, Operand* operands) {
    return Lowering<Whole>::template lower<B>(MovedWhole<K, E>::of(e), operands);
  }
};

template <class K, class E>
struct RowLowering<Rearranged<K, E>, false> : OpaqueRowLowering<Rearranged<K, E>> {};

}  // namespace detail
}  // namespace weft

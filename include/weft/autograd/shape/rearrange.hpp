// The gradients of pad, roll, tile, ...: each element gets the sum of its copies' gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/backward.hpp"
#include "weft/autograd/expression/hoist_opaque.hpp"
#include "weft/eval/rearrange.hpp"

namespace weft::autograd {

template <class K, class E>
  requires has_var<E>
struct WithoutVars<Rearranged<K, E>> {
  using type = Rearranged<K, without_vars_t<E>>;
  static type of(const Rearranged<K, E>& e) {
    return type(without_vars_t<E>(without_vars(e.operand())), e.places(), e.fill());
  }
};

template <class K, class E>
  requires(is_cuda<typename E::device_type>&& HoistOpaque<E>::changes)
struct HoistOpaque<Rearranged<K, E>> {
  static constexpr bool changes = true;
  using type = Rearranged<K, hoist_opaque_t<E>>;
  static type of(const Rearranged<K, E>& e) {
    return type(hoist_opaque_t<E>(hoist_opaque(e.operand())), e.places(), e.fill());
  }
};

namespace detail {
/// The sum along an axis, which it keeps with size 1.
template <class T, class D>
Tensor<T, D> summed_along(const Tensor<T, D>& x, int axis) {
  const Reduce<reducer::sum, Tensor<T, D>> sum(reducer::sum{}, x,
                                               weft::detail::ReducedAxes{1U << axis, true});
  return sum.eval();
}

/// The gradient along one axis of a rearrangement: `a.from` elements from `a.to`.
template <class K, class T, class D>
Tensor<T, D> folded(const weft::AxisPlaces& a, const Tensor<T, D>& g) {
  Shape shape = g.shape();
  shape[a.axis] = a.from;
  if (g.size() == 0 || a.from == 0) return zeros<T>(shape, g.device());
  constexpr bool divides = requires { K::divides; };
  if (divides || (std::is_same_v<K, placing::tile> && a.before == 0 && a.to % a.from == 0)) {
    Shape rows = g.shape();  // the copies apart, along an axis in front or behind
    rows[a.axis] = divides ? a.from : a.to / a.from;
    rows.insert(a.axis + 1, divides ? a.before : a.from);
    if (rows[a.axis + (divides ? 1 : 0)] == 1) return g;
    return summed_along(g.reshape(rows), a.axis + (divides ? 1 : 0)).reshape(shape);
  }
  const auto parts = weft::detail::segments<K>(a);
  if (parts.size() == 1 && parts[0].length == a.from && parts[0].step == 1) {
    return g.narrow(a.axis, parts[0].to, a.from);
  }
  const auto out = zeros<T>(shape, g.device());
  for (const auto& part : parts) {
    Tensor<T, D> from = g.narrow(a.axis, part.to, part.length);
    if (part.step == 0) from = summed_along(from, a.axis);
    if (part.step < 0) from = from.flip(a.axis);
    const auto to = out.narrow(a.axis, part.step < 0 ? part.from - part.length + 1 : part.from,
                               part.step == 0 ? 1 : part.length);
    if (parts.size() == 1 || std::is_same_v<K, placing::roll>) {
      to.assign(from);
    } else {
      to.assign(to + from);
    }
  }
  return out;
}
}  // namespace detail

template <class K, class E>
  requires has_var<E>
struct Rule<Rearranged<K, E>> {
  using D = typename E::device_type;
  template <class G>
  static void backward(const Rearranged<K, without_vars_t<E>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    pass_to<E>(e.operand(), edges, [&](const auto& sink) {
      Tensor<G, D> g = gradient;
      for (int a = e.places().count - 1; a >= 0; --a) {
        g = detail::folded<K>(e.places().axes[a], g);
      }
      store(sink, g);
    });
  }
};

}  // namespace weft::autograd

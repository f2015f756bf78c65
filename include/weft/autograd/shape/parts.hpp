// slice_scatter and its like of Vars, and the real and imaginary parts of complex ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/function.hpp"
#include "weft/autograd/shape/join.hpp"
#include "weft/autograd/shape/movement.hpp"

namespace weft {

namespace detail {
template <class V>
struct WithPart;  // in ops/shape/edit.hpp
}  // namespace detail

namespace autograd {
/// Of a copy whose part `view` was replaced.
template <class F>
struct PartRule {
  F view;

  template <class G, class X, class S, class Xs, class Source>
  void backward(const G& g, const G&, const Pack<Pull<X>, Pull<S>>& d, const Xs&,
                const Source& source) const {
    if (get<0>(d).wanted()) {
      const G rest = g.clone();
      view(rest).fill(compute_t<typename G::value_type>(0));
      get<0>(d)(rest);
    }
    if (get<1>(d).wanted()) {
      const G part = view(g);
      const auto axes = broadcast_axes(source.shape(), part.shape());
      const Reduce<reducer::sum, G> sum(reducer::sum{}, part, axes);
      get<1>(d)(axes.mask == 0 ? part : G(sum.eval().reshape(source.shape())));
    }
  }
};
}  // namespace autograd

namespace detail {
template <class T, class D>
struct WithPart<Var<T, D>> {
  template <class S, class F>
  static Var<T, D> of(const char* operation, const Var<T, D>& x, const S& source, const F& view) {
    const Tensor<T, D> out = x.value().clone();
    const Tensor<T, D> part = view(out);
    if constexpr (ExpressionLike<S>) {
      const Var<T, D> from(source);
      part.assign(from.value());
      return autograd::computed(operation, autograd::PartRule<F>{view}, out, x, from);
    } else {
      part.assign(source);
      const Var<T, D> none(zeros<T>({}, x.device()));
      return autograd::computed(operation, autograd::PartRule<F>{view}, out, x, none);
    }
  }
};
}  // namespace detail

/// As view_as_real of tensors, but new elements.
template <class R, Device D>
Var<R, D> view_as_real(const Var<complex<R>, D>& z) {
  return stack(std::vector<Var<R, D>>{real(z), imag(z)}, axis(z.rank()));
}
/// As view_as_complex of tensors, but new elements, of an operand of any strides.
template <class R, Device D>
Var<complex<R>, D> view_as_complex(const Var<R, D>& x) {
  using C = complex<R>;
  if (x.rank() == 0 || x.size(-1) != 2) {
    fail<ShapeError>("view_as_complex", "shape ", x.shape(), ", expected a last axis of 2 parts");
  }
  const auto part = [&](int64_t i) { return cast<C>(Var<R, D>(x.narrow(-1, i, 1).squeeze(-1))); };
  return part(0) + part(1) * C(0, 1);
}

}  // namespace weft

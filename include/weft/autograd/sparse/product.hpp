// Gradients of sparse products, for the dense operand and for the sparse matrix's values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/linalg/matmul.hpp"
#include "weft/eval/sparse/epilogue.hpp"
#include "weft/ops/sparse/product.hpp"

namespace weft {

namespace autograd {

template <class V, class X>
  requires(has_var<V> || has_var<X>)
struct WithoutVars<SparseProduct<V, X>> {
  using type = SparseProduct<without_vars_t<V>, without_vars_t<X>>;
  static type of(const SparseProduct<V, X>& e) {
    return type(e.pattern(), without_vars_t<V>(without_vars(e.values())),
                without_vars_t<X>(without_vars(e.dense())));
  }
};
template <class A, class B>
  requires(has_var<A> || has_var<B>)
struct WithoutVars<SampledProduct<A, B>> {
  using type = SampledProduct<without_vars_t<A>, without_vars_t<B>>;
  static type of(const SampledProduct<A, B>& e) {
    return type(e.pattern(), without_vars_t<A>(without_vars(e.left())),
                without_vars_t<B>(without_vars(e.right())));
  }
};

/// Both passes read the factors: an expression becomes a Var or a Tensor.
template <class V, class X>
  requires(has_var<V> || has_var<X>)
struct HoistInside<SparseProduct<V, X>> {
  using type = SparseProduct<V, factor_t<X>>;
  static constexpr bool changes = !std::is_same_v<type, SparseProduct<V, X>>;
  static type of(const SparseProduct<V, X>& e) {
    return type(e.pattern(), V(e.values()), factor_t<X>(e.dense()));
  }
};
template <class A, class B>
  requires(has_var<A> || has_var<B>)
struct HoistInside<SampledProduct<A, B>> {
  using type = SampledProduct<factor_t<A>, factor_t<B>>;
  static constexpr bool changes = !std::is_same_v<type, SampledProduct<A, B>>;
  static type of(const SampledProduct<A, B>& e) {
    return type(e.pattern(), factor_t<A>(e.left()), factor_t<B>(e.right()));
  }
};

namespace detail {
/// The transposed matrix of a pattern and values times x.
template <class T, class D>
auto transposed_product(const sparse::PatternHandle<D>& pattern, const Tensor<T, D>& values,
                        const Tensor<T, D>& x) {
  const auto turned = sparse::transposed(pattern);
  return sparse::multiply(turned.pattern, Tensor<T, D>(take(values, turned.order)), x);
}
template <class T, class D>
Tensor<T, D> as_column(const Tensor<T, D>& x) {
  return x.rank() == 1 ? x.unsqueeze(1) : x;
}
}  // namespace detail

/// y = A x: the gradient of x is A^H g; of A's values, g x^H at A's places.
template <class V, class X>
  requires(has_var<V> || has_var<X>)
struct Rule<SparseProduct<V, X>> {
  using T = typename V::value_type;
  using D = typename V::device_type;

  template <class G>
  static void backward(const without_vars_t<SparseProduct<V, X>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    const Tensor<T, D> g = cast<T>(gradient);
    const Tensor<T, D> values = e.values();
    const Tensor<T, D> x = e.dense();
    if constexpr (has_var<V>) {
      pass_to<V>(e.values(), edges, [&](const auto& sink) {
        const Tensor<T, D> right = detail::conjugated(detail::as_column(x));
        store(sink, SampledProduct<Tensor<T, D>, Tensor<T, D>>(e.pattern(), detail::as_column(g),
                                                               right.t()));
      });
    }
    if constexpr (has_var<X>) {
      pass_to<X>(e.dense(), edges + var_count<V>, [&](const auto& sink) {
        store(sink, detail::transposed_product<T, D>(e.pattern(), detail::conjugated(values), g));
      });
    }
  }
};

/// v = (A B) at the places of S: the gradient of A is S(g) B^H; of B, A^H S(g).
template <class A, class B>
  requires(has_var<A> || has_var<B>)
struct Rule<SampledProduct<A, B>> {
  using T = typename A::value_type;
  using D = weft::detail::common_device_of<A, B>;

  template <class G>
  static void backward(const without_vars_t<SampledProduct<A, B>>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient) {
    const Tensor<T, D> g = cast<T>(gradient);
    if constexpr (has_var<A>) {
      pass_to<A>(e.left(), edges, [&](const auto& sink) {
        const Tensor<T, D> b = detail::conjugated(Tensor<T, D>(e.right())).t();
        store(sink, sparse::multiply(e.pattern(), g, b));
      });
    }
    if constexpr (has_var<B>) {
      pass_to<B>(e.right(), edges + var_count<A>, [&](const auto& sink) {
        const Tensor<T, D> a = detail::conjugated(Tensor<T, D>(e.left()));
        // (S(g)^T conj(A))^T
        const Tensor<T, D> turned = detail::transposed_product<T, D>(e.pattern(), g, a);
        store(sink, turned.t());
      });
    }
  }
};

}  // namespace autograd

/// The matrix with its values as a parameter: x.values().grad() has their gradient.
template <CsrLike A>
auto parameter(const A& a) {
  return a.with_values(parameter(a.values()));
}

}  // namespace weft

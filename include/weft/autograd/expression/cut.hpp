// relu, and dropout of it: statements whose gradient follows from their value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/autograd/expression/backward.hpp"
#include "weft/ops/elementwise/generate.hpp"
#include "weft/ops/elementwise/ternary.hpp"
#include "weft/ops/elementwise/unary.hpp"

namespace weft::op {

template <class T>
struct trials;

/// The gradient of scale * relu(x), or of 0 where x was dropped: that of the value y, times scale,
/// where y is positive.
template <class C>
struct cut_by {
  static constexpr const char* text = "relu";
  static constexpr int arity = 2;
  C scale;

  WEFT_HD static constexpr C value(C x, C) { return x; }
  template <int>
  WEFT_HD constexpr C vjp(C g, C, C y, C) const {
    return y > 0 ? g * scale : C(0);
  }
};

}  // namespace weft::op

namespace weft::autograd {

template <class C>
inline constexpr unsigned derivative_reads<op::cut_by<C>, 0> = 2;

/// Whether relu of X is computed in X's own call; in linalg/product_statement.hpp.
template <class X>
inline constexpr bool takes_relu = false;

namespace detail {
template <class P>
inline constexpr bool is_trials = false;
template <class T>
inline constexpr bool is_trials<Map<bool, op::trials<T>, Positions>> = true;

template <class X, class Ports = typename Segment<X>::ports>
inline constexpr bool is_of_vars = false;
template <class X, class... Ports>
inline constexpr bool is_of_vars<X, TypeList<Ports...>> =
    (is_var<Ports> && ...) && !weft::detail::has_reduction<without_vars_t<X>>;

/// Whether dropout of relu(X), stored in T, is positive where relu(X) is: in 16 bits an expression
/// may be rounded to 0.
template <class T, class X>
constexpr bool keeps_sign() {
  if constexpr (!has_var<X> || !is_floating<T> || is_dual<T>) {
    return false;
  } else if constexpr (is_var<X> || takes_relu<X>) {
    return true;
  } else if constexpr (weft::detail::is_map<X>) {
    return sizeof(T) >= 4 && is_of_vars<X>;
  } else {
    return false;
  }
}
}  // namespace detail

/// What is known of E if it is such a statement: relu(X), where that is one call, or
/// where(trials(p), relu(X) * scale, 0).
template <class E>
struct CutStatement {
  static constexpr bool matches = false;
};

template <class T, class X>
  requires(takes_relu<X>&& is_floating<T> && !is_dual<T>)
struct CutStatement<Map<T, op::relu, X>> {
  static constexpr bool matches = true;
  using Of = X;
  using Plain = without_vars_t<Map<T, op::relu, X>>;

  static const auto& of(const Plain& e) { return get<0>(e.args()); }
  static compute_t<T> scale(const Plain&) { return 1; }
  static bool fits(const Plain&) { return true; }
  template <class D>
  static Tensor<T, D> evaluate(const Plain& e) {
    return weft::detail::materialize<T, D>(e);
  }
};

template <class T, class Trials, class X, class C>
  requires(detail::is_trials<Trials>&& detail::keeps_sign<T, X>())
struct CutStatement<
    Map<T, op::where, Trials, Map<T, op::mul, Map<T, op::relu, X>, Scalar<C>>, Scalar<C>>> {
  static constexpr bool matches = true;
  using Of = X;
  template <class Y>
  using Dropout = Map<T, op::where, Trials, Map<T, op::mul, Y, Scalar<C>>, Scalar<C>>;
  using Plain = without_vars_t<Dropout<Map<T, op::relu, X>>>;

  static const auto& of(const Plain& e) { return get<0>(cut(e).args()); }
  static C scale(const Plain& e) { return get<1>(get<1>(e.args()).args()).value; }
  /// Not if a small value may become 0.
  static bool fits(const Plain& e) {
    return get<2>(e.args()).value == 0 && (scale(e) >= 1 || scale(e) == 0) &&
           of(e).shape() == e.shape();
  }
  /// A product's call also computes relu, and dropout then runs in place.
  template <class D>
  static Tensor<T, D> evaluate(const Plain& e) {
    if constexpr (takes_relu<X>) {
      if (of(e).shape() == e.shape()) {
        const Tensor<T, D> y = weft::detail::materialize<T, D>(cut(e));
        using Scaled = Map<T, op::mul, Tensor<T, D>, Scalar<C>>;
        y.assign(Dropout<Tensor<T, D>>(op::where{}, Trials(get<0>(e.args())),
                                       Scaled(op::mul{}, Tensor<T, D>(y), Scalar<C>{scale(e)}),
                                       Scalar<C>(get<2>(e.args()))));
        return y;
      }
    }
    return weft::detail::materialize<T, D>(e);
  }

 private:
  static const auto& cut(const Plain& e) { return get<0>(get<1>(e.args()).args()); }
};

template <class E>
inline constexpr bool is_cut = CutStatement<E>::matches;

/// The expression whose backward pass is that of e, given its value y.
template <class E>
struct CutGradient {
  using T = typename E::value_type;
  using D = typename E::device_type;
  using Of = typename CutStatement<E>::Of;
  using Op = op::cut_by<compute_t<T>>;
  using type = Map<T, Op, Of, Tensor<T, D>>;

  static without_vars_t<type> of(const without_vars_t<E>& e, const Tensor<T, D>& y) {
    return without_vars_t<type>(Op{CutStatement<E>::scale(e)},
                                without_vars_t<Of>(CutStatement<E>::of(e)), Tensor<T, D>(y));
  }
};

/// From the value where the statement has kept it, else from the operands.
template <class E>
  requires is_cut<E>
struct Rule<E> {
  template <class G, class D, class... Known>
  static void backward(const without_vars_t<E>& e, Variable* const* edges,
                       const Tensor<G, D>& gradient, const Known&... value) {
    if (!any_active(edges, var_count<E>)) return;
    const UpstreamSource<G, D> source{gradient};
    if constexpr (sizeof...(Known) == 0) {
      Backward<E, UpstreamSource<G, D>>(e, edges, source);
    } else {
      using Gradient = CutGradient<E>;
      const auto given = Gradient::of(e, value...);
      Backward<typename Gradient::type, UpstreamSource<G, D>>(given, edges, source);
    }
  }
};

}  // namespace weft::autograd

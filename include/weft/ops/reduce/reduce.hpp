// Reductions: sum prod mean var std min max argmin argmax any all norm logsumexp count_nonzero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/axes.hpp"
#include "weft/ops/elementwise/cast.hpp"
#include "weft/ops/elementwise/contents.hpp"
#include "weft/ops/reduce/reducers.hpp"
#include "weft/ops/reduce/with_places.hpp"

namespace weft {

namespace detail {
/// Whether a reduction without an identity may have no elements: if nothing reads its value.
enum class OfNone { refused, allowed };
}  // namespace detail

/// The expression that reduces E along some axes by R; evaluated with E fused in.
template <class R, class E>
class Reduce : public NodeMembers<Reduce<R, E>> {
 public:
  using value_type = typename R::template result<typename E::value_type>;
  using device_type = typename E::device_type;
  static constexpr bool is_expression = true;
  static constexpr const char* text = R::text;

  template <class X>
  Reduce(R reducer, X&& operand, detail::ReducedAxes axes,
         detail::OfNone no_elements = detail::OfNone::refused)
      : reducer_(reducer),
        operand_(detail::AsOperand<typename E::value_type, R>{}(static_cast<X&&>(operand))),
        axes_(axes),
        shape_(axes.result(operand_.shape())) {
    if (!R::has_identity && no_elements == detail::OfNone::refused && shape_.size() > 0 &&
        operand_.shape().size() == 0) {
      fail<ShapeError>(R::text, "no elements to reduce in shape ", operand_.shape(),
                       ", and this reduction has no identity");
    }
  }

  using NodeMembers<Reduce>::shape;
  const Shape& shape() const { return shape_; }
  const R& reducer() const { return reducer_; }
  const E& operand() const { return operand_; }
  const detail::ReducedAxes& axes() const { return axes_; }

 private:
  R reducer_;
  E operand_;
  detail::ReducedAxes axes_;
  detail::HeldShape shape_;
};

namespace detail {
/// Reductions of Small are evaluated first, since row kernels hold numbers.
template <class R, class E>
inline constexpr unsigned contents_of<Reduce<R, E>> =
    (is_small<typename Reduce<R, E>::value_type> ? Contents::others : Contents::reductions) |
    (has_var<E> ? Contents::var_reductions : 0U) | (contents_of<E> & Contents::gathered_rows);

template <class R, class E>
  requires(is_integer<typename E::value_type> &&
           (std::is_same_v<R, reducer::sum> || std::is_same_v<R, reducer::prod>))
struct WidenedFrom<Reduce<R, E>> {
  using type = typename E::value_type;
};
template <class R, class E>
  requires((is_bool<typename E::value_type> && std::is_same_v<R, reducer::sum>) ||
           std::is_same_v<R, reducer::count_nonzero>)
struct WidenedFrom<Reduce<R, E>> {
  using type = bool;
};
template <class N>
struct WidenedFrom<Single<N>> : WidenedFrom<N> {};

template <class R>
void take(const char* operation, int rank, ReducedAxes& out, R&, const Axes& axes) {
  out.mask = axes_mask(operation, axes, rank);
}
template <class R>
void take(const char*, int, ReducedAxes& out, R&, Keepdims keep) {
  out.keep = keep.on;
}
template <class R>
void take(const char*, int, ReducedAxes& out, R&, bool keep) {
  out.keep = keep;
}
template <class R>
void take(const char*, int, ReducedAxes&, R& reducer, Correction c) {
  static_assert(
      requires { reducer.correction; }, "weft: correction(n) belongs to var and std");
  if constexpr (requires { reducer.correction; }) reducer.correction = c.value;
}

/// Whether the options of a reduction are valid; if not, one compile error that says which are.
template <class... Options>
constexpr bool are_options() {
  [[maybe_unused]] constexpr bool axes = (std::is_same_v<Options, Axes> || ...);
  constexpr bool number =
      ((std::is_arithmetic_v<Options> && !(axes && std::is_same_v<Options, bool>)) || ...);
  constexpr bool tensor = (Expression<Options> || ...);
  constexpr bool known =
      ((std::is_same_v<Options, Axes> || std::is_same_v<Options, Keepdims> ||
        std::is_same_v<Options, Correction> || std::is_same_v<Options, bool>)&&...);
  static_assert(!number,
                "weft: a bare number is not an axis: write axis(n) for an axis; maximum(x, v) and "
                "minimum(x, v) compare with a value");
  static_assert(number || !tensor,
                "weft: a reduction takes one tensor: write maximum(x, y) or minimum(x, y) to "
                "compare two");
  static_assert(number || tensor || known,
                "weft: a reduction takes axis(...), keepdims and, for var and std, correction(n)");
  return known;
}

template <class T, bool Node, class R, class X>
auto reduce_node(const R& reducer, X&& x, const ReducedAxes& axes) {
  if constexpr (Node) {
    return Reduce<R, operand_t<T, X>>(reducer, static_cast<X&&>(x), axes);
  } else {
    return Single<Reduce<R, operand_t<T, X>>>(reducer, static_cast<X&&>(x), axes);
  }
}

/// The reduction of x by R, with axis(...), keepdims and correction(n) in any order.
template <class R, class X, class... Options>
auto reduce(R reducer, X&& x, const Options&... options) {
  using E = std::remove_cvref_t<X>;
  using T = typename E::value_type;
  if constexpr (has_var<E> && !is_floating<typename R::template result<T>> &&
                !is_complex<typename R::template result<T>> &&
                !is_small<typename R::template result<T>>) {
    return reduce(reducer, detached(x), options...);  // argmax has no gradient
  } else if constexpr (are_options<Options...>() && R::domain::template report<T>()) {
    const int rank = x.shape().rank();
    ReducedAxes axes{~(~0U << rank), false};
    (take(R::text, rank, axes, reducer, options), ...);
    constexpr bool node = has_var<E> || (std::is_same_v<Options, Axes> || ...) ||
                          (std::is_same_v<Options, Keepdims> || ...);
    if constexpr (is_dual<T>) {
      return reduce_node<T, node>(reducer, static_cast<X&&>(x), axes);
    } else {  // an operand of its own type: see make_node
      return reduce_node<float, node>(reducer, static_cast<X&&>(x), axes);
    }
  } else {
    return Tensor<T, typename E::device_type>{};
  }
}

/// A reduction by min or max in a form that structured bindings can unpack.
template <class N>
auto with_places(N&& reduction) {
  if constexpr (is_single<std::remove_cvref_t<N>> || is_tensor<std::remove_cvref_t<N>>) {
    return static_cast<N&&>(reduction);
  } else {
    return WithPlaces<std::remove_cvref_t<N>>(static_cast<N&&>(reduction));
  }
}
}  // namespace detail

namespace detail {
template <class X>
auto needs_axis(const X& x) {
  static_assert(always_false<X>,
                "weft: axes have a type of their own: write sum(x, axis(0, 1), keepdims)");
  return x;
}
}  // namespace detail

// Not with axes in braces: say so.
template <ExpressionLike X, class... Options>
auto sum(const X& x, std::initializer_list<int>, Options...) {
  return detail::needs_axis(x);
}
template <ExpressionLike X, class... Options>
auto mean(const X& x, std::initializer_list<int>, Options...) {
  return detail::needs_axis(x);
}
template <ExpressionLike X, class... Options>
auto max(const X& x, std::initializer_list<int>, Options...) {
  return detail::needs_axis(x);
}

/// All of these, and those in the table in reducers.hpp, take axis(...) for the axes to reduce (all
/// axes by default), and keepdims; the result is lazy, and can be part of a larger expression.
template <ExpressionLike X, class... Options>
auto sum(X&& x, Options... options) {
  return detail::reduce(reducer::sum{}, static_cast<X&&>(x), options...);
}
/// The mean of integers is double; the mean of bool, also double, is the fraction of true elements.
template <ExpressionLike X, class... Options>
auto mean(X&& x, Options... options) {
  if constexpr (is_bool<typename std::remove_cvref_t<X>::value_type>) {
    return detail::reduce(reducer::mean{}, cast<std::uint8_t>(static_cast<X&&>(x)), options...);
  } else {
    return detail::reduce(reducer::mean{}, static_cast<X&&>(x), options...);
  }
}
/// Unbiased, as in PyTorch; correction(0) divides by n, as in NumPy.
template <ExpressionLike X, class... Options>
auto var(X&& x, Options... options) {
  return detail::reduce(reducer::var{}, static_cast<X&&>(x), options...);
}
/// The square root of var. After `using namespace weft` write weft::std or stddev.
template <ExpressionLike X, class... Options>
auto std(X&& x, Options... options) {
  return detail::reduce(reducer::stddev{}, static_cast<X&&>(x), options...);
}
template <ExpressionLike X, class... Options>
auto stddev(X&& x, Options... options) {
  return detail::reduce(reducer::stddev{}, static_cast<X&&>(x), options...);
}
/// NaN if any element is NaN. Along axes, also gives positions: `auto [values, indices] = max(x,
/// axis(1))`.
template <ExpressionLike X, class... Options>
auto min(X&& x, Options... options) {
  return detail::with_places(detail::reduce(reducer::min{}, static_cast<X&&>(x), options...));
}
template <ExpressionLike X, class... Options>
auto max(X&& x, Options... options) {
  return detail::with_places(detail::reduce(reducer::max{}, static_cast<X&&>(x), options...));
}
/// With a number first: the error names maximum(x, v).
template <NumberLike N, ExpressionLike X>
auto min(N number, X&& x) {
  return min(static_cast<X&&>(x), number);
}
template <NumberLike N, ExpressionLike X>
auto max(N number, X&& x) {
  return max(static_cast<X&&>(x), number);
}
/// The position (row-major in the reduced axes) of the first smallest element, or first NaN.
template <ExpressionLike X, class... Options>
auto argmin(X&& x, Options... options) {
  return detail::reduce(reducer::argmin{}, static_cast<X&&>(x), options...);
}
template <ExpressionLike X, class... Options>
auto argmax(X&& x, Options... options) {
  return detail::reduce(reducer::argmax{}, static_cast<X&&>(x), options...);
}
template <ExpressionLike X, class... Options>
auto count_nonzero(X&& x, Options... options) {
  return detail::reduce(reducer::count_nonzero{}, static_cast<X&&>(x), options...);
}
/// The Euclidean norm of the elements.
template <ExpressionLike X, class... Options>
auto norm(X&& x, Options... options) {
  return detail::reduce(reducer::norm{}, static_cast<X&&>(x), options...);
}
/// The p-norm, p > 0; infinity gives the largest absolute value.
template <ExpressionLike X, class... Options>
auto norm_p(X&& x, double p, Options... options) {
  if (!(p > 0)) fail<ValueError>("norm_p", "p = ", p, ", expected above 0");
  return detail::reduce(reducer::norm_p{p}, static_cast<X&&>(x), options...);
}
/// log(sum(exp(x))) without overflow.
template <ExpressionLike X, class... Options>
auto logsumexp(X&& x, Options... options) {
  return detail::reduce(reducer::logsumexp{}, static_cast<X&&>(x), options...);
}

WEFT_MODEL(Node<Reduce<reducer::sum, Tensor<float, Cpu>>>);

}  // namespace weft

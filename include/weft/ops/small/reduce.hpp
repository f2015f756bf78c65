// sum and mean of tensors of Small along axes, allclose, and their text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/close.hpp"
#include "weft/ops/reduce/reduce.hpp"
#include "weft/ops/small/components.hpp"
#include "weft/tensor/print.hpp"

namespace weft {

namespace detail {
/// The reduction of an expression. A tensor is reduced as its numbers: x's axes, then an element's.
template <class R, class X, class... Options>
auto reduce_small(R reducer, X&& x, const Options&... options) {
  using S = typename std::remove_cvref_t<X>::value_type;
  if constexpr (!TensorLike<X>) {
    return reduce(reducer, static_cast<X&&>(x), options...);
  } else if constexpr (are_options<Options...>()) {
    const int rank = x.shape().rank();
    ReducedAxes axes{~(~0U << rank), false};
    (take(R::text, rank, axes, reducer, options), ...);
    const auto numbers = components(static_cast<X&&>(x));
    const auto result = reduce_node<float, true>(reducer, numbers, axes).eval();
    return as_small<S::rows, S::columns>(result);
  } else {
    return Tensor<S, typename std::remove_cvref_t<X>::device_type>{};
  }
}
}  // namespace detail

/// The sum of the elements along axis(...), by default all, with keepdims as for numbers. Lazy for
/// an expression, which is fused in; computed at once for a tensor.
template <SmallLike X, class... Options>
auto sum(X&& x, Options... options) {
  return detail::reduce_small(reducer::sum{}, static_cast<X&&>(x), options...);
}
/// The mean, in the same way.
template <SmallLike X, class... Options>
auto mean(X&& x, Options... options) {
  return detail::reduce_small(reducer::mean{}, static_cast<X&&>(x), options...);
}

/// Two expressions of Small.
template <class X, class Y>
concept SmallPair = OperandsOf<X, Y> && SmallLike<X> && SmallLike<Y>;

/// Whether all numbers of x are within the tolerance of y's.
template <class X, class Y>
  requires SmallPair<X, Y>
bool allclose(X&& x, Y&& y, Tolerance tolerance = {}) {
  return allclose(components(static_cast<X&&>(x)), components(static_cast<Y&&>(y)), tolerance);
}

/// The numbers in their own brackets, followed by the element type.
template <SmallLike E>
Text to_string(const E& e, const PrintOptions& options = {}) {
  using S = typename E::value_type;
  if constexpr (detail::has_var<E>) {
    Text out = to_string(e.eval().value(), options);
    if (!e.eval().requires_grad()) return out;
    out.pop_back();
    return out + ", requires_grad)";
  } else if constexpr (!TensorLike<E>) {
    return to_string(e.eval(), options);
  } else {
    const Text numbers = to_string(components(e), options);
    std::size_t end = numbers.size();
    while (numbers[end - 1] != ']') --end;
    Text out(numbers.c_str(), end);
    const bool summary = e.size() * S::count > options.threshold;
    if (summary || e.size() == 0) out += ", shape " + detail::text(e.shape());
    out += detail::join({", Small<", name(dtype_of<typename S::number>), ", ", S::rows});
    if constexpr (S::columns > 1) out += detail::join({", ", S::columns});
    return out + ">, " + text(e.device()) + ")";
  }
}
/// The numbers of one value, a matrix as rows: `{{1., 2.}, {3., 4.}}` in NumPy's brackets.
template <class T, int R, int C>
Text to_string(const Small<T, R, C>& x, const PrintOptions& options = {}) {
  const Shape shape = C > 1 ? Shape{R, C} : Shape{R};
  const auto texts = detail::number_texts(x.values, int64_t{R} * C, options.precision, true);
  return detail::BracketText(texts, shape, shape, options).run(0);
}
template <class S, SmallValue X>
requires TextStream<S> S& operator<<(S& stream, const X& x) {
  stream << to_string(x).c_str();
  return stream;
}

}  // namespace weft

// Functions written in weft's own notation; each is one kernel, like a user's statement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/elementwise/binary.hpp"
#include "weft/ops/elementwise/unary.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

namespace op {
/// exp of x <= 0 where an error of |x| / 2^23 does not matter: in a sum whose largest term is 1, or
/// in 16 bits.
struct exp_of_term : exp {
  template <class T>
  WEFT_HD WEFT_INLINE static constexpr auto value(T x) {
    return math::exp_of_term(x);
  }
};
/// exp of x <= 0, which takes a GPU less than any x.
struct exp_of_negative : exp {
  template <class T>
  WEFT_HD WEFT_INLINE static constexpr auto value(T x) {
    return math::exp_of_negative(x);
  }
};
}  // namespace op

namespace detail {
/// A number in X's compute type.
template <class X>
auto small_number(double value) {
  return static_cast<compute_t<typename X::value_type>>(value);
}

/// What computes exp(x - y) for elements of X, where y is at least x.
template <class X>
using ShiftedExp =
    std::conditional_t<is_half<typename X::value_type>, op::exp_of_term,
                       std::conditional_t<is_cuda<typename X::device_type> &&
                                              std::is_same_v<typename X::value_type, float>,
                                          op::exp_of_negative, op::exp>>;

/// A shape with a further last axis of size 1.
inline Shape with_last_axis(Shape shape) {
  shape.push_back(1);
  return shape;
}
}  // namespace detail

namespace detail {
/// max(x, axes, keepdims), which also accepts rows without elements: nothing is subtracted from
/// these. `operation` is named in errors.
template <class X>
auto row_max(const char* operation, const X& x, const Axes& axes) {
  using T = typename X::value_type;
  using Max = Reduce<reducer::max, operand_t<T, X>>;
  if constexpr (op::Ordered::template report<T>()) {
    const ReducedAxes reduced{axes_mask(operation, axes, x.rank()), true};
    return Max(reducer::max{}, x, reduced, OfNone::allowed);
  } else {
    return x;
  }
}
}  // namespace detail

/// exp(x) / sum(exp(x)) along the axes. A GPU computes a float's term of the sum and the
/// exponential of the result apart, since a term takes it three instructions, and multiplies by the
/// sum's reciprocal.
template <ExpressionLike X>
auto softmax(const X& x, const Axes& axes = axis(-1)) {
  using Exp = detail::ShiftedExp<X>;
  using Term = std::conditional_t<std::is_same_v<Exp, op::exp_of_negative>, op::exp_of_term, Exp>;
  const auto shifted = x - detail::row_max("softmax", x, axes);
  const auto e = lift(Exp{}, shifted);
  const auto total = sum(lift(Term{}, shifted), axes, keepdims);
  if constexpr (is_cuda<typename X::device_type>) {
    return e * reciprocal(total);
  } else {
    return e / total;
  }
}

/// log(softmax(x)), accurate even where softmax underflows.
template <ExpressionLike X>
auto log_softmax(const X& x, const Axes& axes = axis(-1)) {
  const auto shifted = x - detail::row_max("log_softmax", x, axes);
  return shifted - log(sum(lift(op::exp_of_term{}, shifted), axes, keepdims));
}

/// x with mean 0 and (biased) variance 1 along the axes; epsilon is added to the variance.
template <ExpressionLike X>
auto standardize(const X& x, const Axes& axes = axis(-1), double epsilon = 1e-5) {
  const auto centred = x - mean(x, axes, keepdims);
  const auto variance = mean(square(centred), axes, keepdims);
  return centred * rsqrt(variance + detail::small_number<X>(epsilon));
}

namespace detail {
/// Throws if the weight or bias of a norm does not have the shape of a row.
WEFT_OUTLINED inline void check_beside_rows(const char* operation, const char* what, const Shape& x,
                                            const Shape& beside) {
  if (!broadcasts_to(beside, x)) {
    fail<ShapeError>(operation, what, " of shape ", beside, " for x of shape ", x,
                     ", expected that of the last axis");
  }
}
}  // namespace detail

/// Layer normalisation along the last axis (Ba, Kiros and Hinton 2016), scaled by weight and
/// shifted by bias, or by neither.
template <ExpressionLike X, ExpressionLike W, ExpressionLike B>
auto layer_norm(const X& x, const W& weight, const B& bias, double epsilon = 1e-5) {
  detail::check_beside_rows("layer_norm", "a weight", x.shape(), weight.shape());
  detail::check_beside_rows("layer_norm", "a bias", x.shape(), bias.shape());
  return standardize(x, axis(-1), epsilon) * weight + bias;
}

template <ExpressionLike X>
auto layer_norm(const X& x, double epsilon = 1e-5) {
  return standardize(x, axis(-1), epsilon);
}

/// x divided by its root mean square along the last axis (Zhang and Sennrich 2019), times weight.
template <ExpressionLike X, ExpressionLike W>
auto rms_norm(const X& x, const W& weight, double epsilon = 1e-6) {
  detail::check_beside_rows("rms_norm", "a weight", x.shape(), weight.shape());
  const auto mean_square = mean(square(x), axis(-1), keepdims);
  return x * rsqrt(mean_square + detail::small_number<X>(epsilon)) * weight;
}

/// x divided by its Euclidean norm along the axes, or by epsilon where that is larger.
template <ExpressionLike X>
auto normalize(const X& x, const Axes& axes = axis(-1), double epsilon = 1e-12) {
  return x / maximum(norm(x, axes, keepdims), detail::small_number<X>(epsilon));
}

namespace detail {
/// Which of an operand's own axes are reduced if the same axes of `shape`, to which it broadcasts,
/// are, and how often each of its elements then counts.
struct BroadcastAxes {
  Axes axes;
  double repeats = 1;
};
WEFT_OUTLINED inline BroadcastAxes broadcast_axes(const char* operation, const Axes& axes,
                                                  const Shape& shape, const Shape& operand) {
  BroadcastAxes out;
  const unsigned mask = axes_mask(operation, axes, shape.rank());
  const int shift = shape.rank() - operand.rank();
  for (int i = 0; i < shape.rank(); ++i) {
    if ((mask >> i & 1U) == 0) continue;
    if (i >= shift) out.axes.push_back(i - shift);
    if (i < shift || operand[i - shift] == 1) out.repeats *= static_cast<double>(shape[i]);
  }
  return out;
}

/// The norm along the axes of x as it is broadcast to `shape`, read once.
template <class X>
auto broadcast_norm(const char* operation, const X& x, const Axes& axes, const Shape& shape) {
  const BroadcastAxes own = broadcast_axes(operation, axes, shape, x.shape());
  return norm(x, own.axes) * small_number<X>(std::sqrt(own.repeats));
}
}  // namespace detail

/// The cosine of the angle between x and y, which broadcast, along the axes; norms below epsilon
/// are replaced by epsilon.
template <ExpressionLike X, ExpressionLike Y>
auto cosine_similarity(const X& x, const Y& y, const Axes& axes = axis(-1), double epsilon = 1e-8) {
  const auto least = detail::small_number<X>(epsilon);
  const auto product = x * y;
  const Shape& shape = product.shape();
  return sum(product, axes) /
         (maximum(detail::broadcast_norm("cosine_similarity", x, axes, shape), least) *
          maximum(detail::broadcast_norm("cosine_similarity", y, axes, shape), least));
}

namespace detail {
/// Throws unless there is a target for each row of logits.
WEFT_OUTLINED inline void check_targets(const char* operation, const Shape& logits,
                                        const Shape& targets) {
  bool fits = logits.rank() > 0 && targets.rank() == logits.rank() - 1;
  for (int i = 0; fits && i < targets.rank(); ++i) fits = targets[i] == logits[i];
  if (!fits) {
    fail<ShapeError>(operation, "targets of shape ", targets, " for logits of shape ", logits,
                     ", expected a class for each row of the last axis");
  }
}
}  // namespace detail

/// For each row of logits along the last axis, -log(softmax(logits)) at its target, the last axis
/// kept with size 1. Targets are integers of the other axes' shape, from 0 to the number of classes
/// less 1, checked when evaluated.
template <ExpressionLike X, ExpressionLike T>
auto cross_entropy_rows(const X& logits, const T& targets) {
  detail::check_targets("cross_entropy", logits.shape(), targets.shape());
  return logsumexp(logits, axis(-1), keepdims) -
         detail::gather_axis<gathering::cross_entropy>(
             logits, targets.reshape(detail::with_last_axis(targets.shape())), axis(-1));
}

/// The mean over the rows of -log(softmax(logits)) at the targets: a classifier's loss (PyTorch's
/// cross_entropy with its defaults). The rows' losses are evaluated at the call, in one kernel that
/// reads the logits once.
template <ExpressionLike X, ExpressionLike T>
auto cross_entropy(const X& logits, const T& targets) {
  return mean(cross_entropy_rows(logits, targets).eval());
}

}  // namespace weft

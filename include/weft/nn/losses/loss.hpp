// Losses with PyTorch's formulas, names and reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "weft/autograd/index/indexing.hpp"
#include "weft/autograd/rows/compose.hpp"
#include "weft/autograd/shape/movement.hpp"
#include "weft/nn/losses/probability.hpp"
#include "weft/ops/order/select.hpp"

namespace weft {

/// Targets that are class probabilities rather than labels.
template <class Y>
concept ClassProbabilities = ExpressionLike<Y> && is_floating<typename Y::value_type>;

}  // namespace weft

namespace weft::nn {

/// How the losses of the elements are reduced: `mse_loss(x, y, reduce::sum)`. Part of the type, so
/// that only one kernel is compiled.
namespace reduce {
struct Mean {};
struct Sum {};
struct None {};
/// The sum divided by the size of the first axis.
struct BatchMean {};
inline constexpr Mean mean{};
inline constexpr Sum sum{};
inline constexpr None none{};
inline constexpr BatchMean batch_mean{};
}  // namespace reduce

namespace detail {
template <class E>
auto reduced(const E& e, reduce::Mean) {
  return Var(mean(e));
}
template <class E>
auto reduced(const E& e, reduce::Sum) {
  return Var(sum(e));
}
template <class E>
auto reduced(const E& e, reduce::None) {
  return Var(e);
}
template <class E>
auto reduced(const E& e, reduce::BatchMean) {
  using C = compute_t<typename E::value_type>;
  const double rows = e.rank() > 0 ? static_cast<double>(e.shape()[0]) : 1;
  return Var(sum(e) * static_cast<C>(1 / rows));
}

/// Losses do not broadcast: (n, 1) with (n,) would silently become (n, n).
template <class X, class Y>
void check_shapes(const char* operation, const X& x, const Y& y) {
  if (!(x.shape() == y.shape())) {
    fail<ShapeError>(operation, "an input of shape ", x.shape(), " and a target of shape ",
                     y.shape(), ", expected the same");
  }
}

template <class X>
auto number(double value) {
  return static_cast<compute_t<typename X::value_type>>(value);
}
}  // namespace detail

/// (x - y)^2.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto mse_loss(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("mse_loss", x, y);
  return detail::reduced(square(x - y), reduction);
}

/// |x - y|.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto l1_loss(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("l1_loss", x, y);
  return detail::reduced(abs(x - y), reduction);
}

/// d^2 / 2 beta for |d| < beta, else |d| - beta / 2, where d = x - y.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto smooth_l1_loss(const X& x, const Y& y, R reduction = {}, double beta = 1) {
  detail::check_shapes("smooth_l1_loss", x, y);
  if (!(beta >= 0)) fail<ValueError>("smooth_l1_loss", "beta ", beta, ", expected at least 0");
  if (beta == 0) return l1_loss(x, y, reduction);
  const auto d = abs(x - y);
  return detail::reduced(
      where(d < detail::number<X>(beta), square(d) * detail::number<X>(0.5 / beta),
            d - detail::number<X>(0.5 * beta)),
      reduction);
}

/// d^2 / 2 for |d| <= delta, else delta (|d| - delta / 2), where d = x - y.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto huber_loss(const X& x, const Y& y, R reduction = {}, double delta = 1) {
  detail::check_shapes("huber_loss", x, y);
  if (!(delta > 0)) fail<ValueError>("huber_loss", "delta ", delta, ", expected more than 0");
  const auto d = abs(x - y);
  return detail::reduced(where(d <= detail::number<X>(delta), square(d) * detail::number<X>(0.5),
                               (d - detail::number<X>(0.5 * delta)) * detail::number<X>(delta)),
                         reduction);
}

/// -(y log p + (1 - y) log(1 - p)) for probabilities p, with logarithms of at least -100 and the
/// gradient bounded as in PyTorch. A p outside of 0 to 1 throws ValueError, on CUDA at the next
/// statement or synchronisation.
template <ExpressionLike P, ExpressionLike Y, class R = reduce::Mean>
auto binary_cross_entropy(const P& p, const Y& y, R reduction = {}) {
  detail::check_shapes("binary_cross_entropy", p, y);
  using C = compute_t<typename P::value_type>;
  const auto losses = custom(
      [](const auto& given, const auto& t) {
        const auto a = weft::detail::probabilities("binary_cross_entropy", given);
        const auto yes = maximum(log(a), C(-100));
        const auto no = maximum(log1p(-a), C(-100));
        return ((t - C(1)) * no - t * yes).eval();
      },
      [](const auto& g, const auto&, const auto& a, const auto& t) {
        return std::tuple(g * (a - t) / maximum(a * (C(1) - a), C(1e-12)),
                          g * (maximum(log1p(-a), C(-100)) - maximum(log(a), C(-100))));
      },
      p, y);
  return detail::reduced(losses, reduction);
}

/// The same for p = sigmoid(x), exact for large |x|.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto binary_cross_entropy_with_logits(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("binary_cross_entropy_with_logits", x, y);
  return detail::reduced(softplus(x) - x * y, reduction);
}
/// With a weight for the positive cases, which broadcasts to x.
template <ExpressionLike X, ExpressionLike Y, TensorLike W, class R = reduce::Mean>
auto binary_cross_entropy_with_logits(const X& x, const Y& y, R reduction, const W& pos_weight) {
  detail::check_shapes("binary_cross_entropy_with_logits", x, y);
  const auto one = detail::number<X>(1);
  return detail::reduced((one - y) * x + (one + (pos_weight - one) * y) * softplus(-x), reduction);
}

/// y (log y - x) for log-probabilities x; 0 where y is 0. The default mean is over elements; the
/// divergence itself is kl_div(x, y, reduce::batch_mean).
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto kl_div(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("kl_div", x, y);
  return detail::reduced(xlogy(y, y) - y * x, reduction);
}
/// The same for log-probabilities y of the target.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto kl_div_log_target(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("kl_div_log_target", x, y);
  return detail::reduced(exp(y) * (y - x), reduction);
}

template <class T, class D>
struct ClassLossOptions {
  std::optional<Tensor<T, D>> weight = {};  ///< for each class, (classes,)
  int64_t ignore_index = -100;  ///< rows with this label do not count; it need not be a class
  double label_smoothing = 0;   ///< the fraction of each target that is spread over all classes
};
template <class X>
using class_options_t =
    ClassLossOptions<typename X::value_type,
                     typename decltype(Var(std::declval<const X&>()))::device_type>;

namespace detail {
template <class O>
void check_class_options(const char* operation, const O& options, int64_t classes) {
  if (options.weight && !(options.weight->shape() == Shape{classes})) {
    fail<ShapeError>(operation, "weights of shape ", options.weight->shape(), ", expected (",
                     classes, ",)");
  }
  if (!(options.label_smoothing >= 0 && options.label_smoothing <= 1)) {
    fail<ValueError>(operation, "label_smoothing ", options.label_smoothing, ", expected 0 to 1");
  }
}

/// Throws ShapeError unless there is a label for each row.
inline void check_labels(const char* operation, const Shape& x, const Shape& targets) {
  bool fits = x.rank() == targets.rank() + 1;
  for (int i = 0; fits && i < targets.rank(); ++i) fits = x[i] == targets[i];
  if (!fits) {
    fail<ShapeError>(operation, "an input of shape ", x, " and targets of shape ", targets,
                     ", expected (..., classes) and (...)");
  }
}

/// Each row's loss from log-probabilities; the mean divides by the sum of the weights. K gathers
/// them, and is named in errors.
template <class K, class V, class I, class O, class R>
V class_loss(const V& logs, const I& targets, const O& options, R) {
  constexpr const char* operation = K::text;
  using T = typename V::value_type;
  using D = typename V::device_type;
  using C = compute_t<T>;
  using Index = compute_t<typename I::value_type>;
  check_labels(operation, logs.shape(), targets.shape());
  const int64_t classes = logs.size(-1);
  check_class_options(operation, options, classes);
  const auto counted = targets != static_cast<Index>(options.ignore_index);
  const Tensor<typename I::value_type, D> places = where(counted, targets, Index(0));
  const auto last = places.unsqueeze(-1);
  const Tensor<T, D> each =
      options.weight ? options.weight->contiguous() : ones<T>({classes}, logs.device());
  // First, because it checks the labels.
  const V picked = V(weft::detail::gather_axis<K>(logs, last, axis(-1))).squeeze(-1);
  const Tensor<T, D> w = where(counted, take(each, places, axis(0)), C(0));  // (...)
  V rows = where(w == C(0), C(0), -picked * w);
  if (options.label_smoothing > 0) {
    const Tensor<T, D> spread = cast<T>(counted);
    const V all = sum(logs * each, axis(-1));
    const double e = options.label_smoothing;
    rows = rows * static_cast<C>(1 - e) -
           all * spread * static_cast<C>(e / static_cast<double>(classes));
  }
  if constexpr (std::is_same_v<R, reduce::None>) {
    return rows;
  } else if constexpr (!std::is_same_v<R, reduce::Mean>) {
    return reduced(rows, R{});
  } else {
    const Tensor<T, D> total = sum(w);
    const V loss = sum(rows);
    return loss / total;
  }
}
}  // namespace detail

/// The negative log-probability of each row's target, for x = log_softmax(...) of shape (...,
/// classes) and labels (...) from 0 to classes - 1; any other label but `ignore_index` throws
/// IndexError. The mean divides by the weights of the targets that count: NaN if none does.
template <ExpressionLike X, TensorLike I, class R = reduce::Mean>
auto nll_loss(const X& x, const I& targets, const class_options_t<X>& options = {},
              R reduction = {}) {
  return detail::class_loss<gathering::nll_loss>(decltype(Var(x))(x), targets, options, reduction);
}

/// The mean cross entropy of logits (..., classes) and class indices (...), in two kernels; or of
/// probabilities (..., classes).
using weft::cross_entropy;

/// The same with weights, ignored rows, smoothing or another reduction.
template <ExpressionLike X, TensorLike I, class R = reduce::Mean>
  requires(!ClassProbabilities<I>)
auto cross_entropy(const X& x, const I& targets, const class_options_t<X>& options,
                   R reduction = {}) {
  using V = decltype(Var(x));
  return detail::class_loss<gathering::cross_entropy>(V(log_softmax(V(x))), targets, options,
                                                      reduction);
}

/// The same for class probabilities y of shape (..., classes): the sum over the classes of -y w
/// log_softmax(x). The mean divides by the number of rows whatever the weights, and there is no
/// label to ignore.
template <ExpressionLike X, ClassProbabilities Y, class R = reduce::Mean>
auto cross_entropy(const X& x, const Y& y, const class_options_t<X>& options, R reduction = {}) {
  using V = decltype(Var(x));
  using T = typename X::value_type;
  using C = compute_t<T>;
  detail::check_shapes("cross_entropy", x, y);
  if (x.rank() == 0) fail<ShapeError>("cross_entropy", "a number, expected (..., classes)");
  const int64_t classes = x.shape()[x.rank() - 1];
  detail::check_class_options("cross_entropy", options, classes);
  const V logs = log_softmax(V(x));
  const double e = options.label_smoothing;
  const Tensor<T, typename V::device_type> each =
      options.weight ? options.weight->contiguous() : ones<T>({classes}, logs.device());
  const auto target = y * static_cast<C>(1 - e) + static_cast<C>(e / static_cast<double>(classes));
  return detail::reduced(V(-sum(target * logs * each, axis(-1))), reduction);
}

}  // namespace weft::nn

namespace weft {

/// nn::cross_entropy of logits and probabilities of the same shape.
template <ExpressionLike X, ClassProbabilities Y>
auto cross_entropy(const X& x, const Y& y) {
  return nn::cross_entropy(x, y, {});
}
template <Differentiable X, ClassProbabilities Y>
auto cross_entropy(const X& x, const Y& y) {
  return nn::cross_entropy(x, y, {});
}

}  // namespace weft

namespace weft::nn {
using weft::cross_entropy;  // these two as well
}  // namespace weft::nn

// Margin losses: ranking, hinge, triplet, cosine embedding, multi-class and multi-label.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/nn/losses/loss.hpp"

namespace weft::nn {

namespace detail {
/// Negative elements become 0; one that is 0 passes its gradient, as PyTorch's clamp_min does.
template <class E>
auto not_negative(const E& e) {
  const auto zero = number<E>(0);
  return where(e < zero, zero, e);
}
}  // namespace detail

/// max(0, margin - y (a - b)), where y is 1 if a should be larger, and -1 otherwise.
template <ExpressionLike A, ExpressionLike B, ExpressionLike Y, class R = reduce::Mean>
auto margin_ranking_loss(const A& a, const B& b, const Y& y, R reduction = {}, double margin = 0) {
  detail::check_shapes("margin_ranking_loss", a, b);
  detail::check_shapes("margin_ranking_loss", a, y);
  return detail::reduced(detail::not_negative(detail::number<A>(margin) - y * (a - b)), reduction);
}

/// x where y is 1, max(0, margin - x) where it is -1.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto hinge_embedding_loss(const X& x, const Y& y, R reduction = {}, double margin = 1) {
  detail::check_shapes("hinge_embedding_loss", x, y);
  const auto one = detail::number<X>(1);
  const auto zero = detail::number<X>(0);
  return detail::reduced(
      where(y != one, detail::not_negative(detail::number<X>(margin) - x), zero) +
          where(y != -one, x, zero),
      reduction);
}

/// log(1 + exp(-y x)) for y of 1 or -1.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto soft_margin_loss(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("soft_margin_loss", x, y);
  return detail::reduced(softplus(-(y * x)), reduction);
}

/// The mean over the last axis of binary cross entropies of logits x and y of 0 or 1: of (...,
/// classes) a loss for each row.
template <ExpressionLike X, ExpressionLike Y, class R = reduce::Mean>
auto multilabel_soft_margin_loss(const X& x, const Y& y, R reduction = {}) {
  detail::check_shapes("multilabel_soft_margin_loss", x, y);
  return detail::reduced(decltype(Var(x))(mean(softplus(x) - x * y, axis(-1))), reduction);
}
/// With a weight for each class.
template <ExpressionLike X, ExpressionLike Y, TensorLike W, class R = reduce::Mean>
auto multilabel_soft_margin_loss(const X& x, const Y& y, const W& weight, R reduction = {}) {
  detail::check_shapes("multilabel_soft_margin_loss", x, y);
  return detail::reduced(decltype(Var(x))(mean((softplus(x) - x * y) * weight, axis(-1))),
                         reduction);
}

template <class T, class D>
struct MultiMarginOptions {
  double margin = 1;
  int p = 1;                                ///< 1, or 2 for squares
  std::optional<Tensor<T, D>> weight = {};  ///< of each class, (classes,)
};
template <class X>
using margin_options_t =
    MultiMarginOptions<typename X::value_type,
                       typename decltype(Var(std::declval<const X&>()))::device_type>;

/// For each row of x (..., classes) and its label k, the mean over the classes j other than k of
/// max(0, margin - x_k + x_j)^p, times the weight of k.
template <ExpressionLike X, TensorLike I, class R = reduce::Mean>
auto multi_margin_loss(const X& e, const I& targets, const margin_options_t<X>& options = {},
                       R reduction = {}) {
  using V = decltype(Var(e));
  using T = typename V::value_type;
  using D = typename V::device_type;
  constexpr const char* operation = "multi_margin_loss";
  const V x = e;
  detail::check_labels(operation, x.shape(), targets.shape());
  if (options.p != 1 && options.p != 2) {
    fail<ValueError>(operation, "p ", options.p, ", expected 1 or 2");
  }
  const int64_t classes = x.size(-1);
  if (options.weight && !(options.weight->shape() == Shape{classes})) {
    fail<ShapeError>(operation, "weights of shape ", options.weight->shape(), ", expected (",
                     classes, ",)");
  }
  const auto last = targets.unsqueeze(-1);
  const V own = V(weft::detail::gather_axis<gathering::multi_margin_loss>(x, last, axis(-1)));
  const Tensor<T, D> others = cast<T>(arange<typename I::value_type>(classes, x.device()) != last);
  const auto short_by = detail::not_negative(x - own + detail::number<X>(options.margin)) * others;
  V rows = options.p == 1 ? V(mean(short_by, axis(-1))) : V(mean(square(short_by), axis(-1)));
  if (options.weight) {
    const Tensor<T, D> w = take(*options.weight, targets, axis(0));
    rows = rows * w;
  }
  return detail::reduced(rows, reduction);
}

/// For each row of x (..., classes) and its labels, which end before the first negative one, the
/// sum of max(0, 1 - x_k + x_j) over labels k and all other classes j, divided by the number of
/// classes. Labels are of the shape of x.
template <ExpressionLike X, TensorLike I, class R = reduce::Mean>
auto multilabel_margin_loss(const X& e, const I& labels, R reduction = {}) {
  using V = decltype(Var(e));
  using D = typename V::device_type;
  using T = typename V::value_type;
  using Index = typename I::value_type;
  const V x = e;
  detail::check_shapes("multilabel_margin_loss", x, labels);
  if (x.rank() == 0)
    fail<ShapeError>("multilabel_margin_loss", "a number, expected (..., classes)");
  const int64_t classes = x.size(-1);
  const Tensor<Index, D> place = arange<Index>(classes, x.device());
  const Tensor<Index, D> end =
      min(where(labels < Index(0), place, static_cast<Index>(classes)), axis(-1), keepdims);
  const Tensor<bool, D> counts = place < end;
  const Tensor<Index, D> known = where(counts, labels, Index(0));
  const V own = V(weft::detail::gather_axis<gathering::multilabel_margin_loss>(x, known, axis(-1)));
  // (..., label, class)
  const Tensor<bool, D> named =
      any(counts.unsqueeze(-1) && known.unsqueeze(-1) == place, axis(-2), keepdims);
  const Tensor<T, D> taken = cast<T>(counts.unsqueeze(-1) && !named);
  const auto pairs =
      detail::not_negative(x.unsqueeze(-2) - own.unsqueeze(-1) + detail::number<X>(1)) * taken;
  const auto share = detail::number<X>(1 / static_cast<double>(std::max<int64_t>(classes, 1)));
  return detail::reduced(V(sum(pairs, axis(-2, -1)) * share), reduction);
}

/// The p-norm of x - y + epsilon along the last axis.
template <ExpressionLike X, ExpressionLike Y>
auto pairwise_distance(const X& x, const Y& y, double p = 2, double epsilon = 1e-6) {
  if (!(p > 0)) fail<ValueError>("pairwise_distance", "p ", p, ", expected more than 0");
  using V = decltype(Var(x - y));
  const V d = x - y + detail::number<X>(epsilon);
  if (p == 2) return V(sqrt(sum(square(d), axis(-1))));
  if (p == 1) return V(sum(abs(d), axis(-1)));
  const auto power = detail::number<X>(p);
  return V(pow(sum(pow(abs(d), power), axis(-1)), detail::number<X>(1 / p)));
}

struct TripletOptions {
  double margin = 1;
  double p = 2;           ///< of the norm
  double epsilon = 1e-6;  ///< is added to differences
  bool swap = false;      ///< the negative's distance is that to the positive where that is less
};

/// max(0, d(a, p) - d(a, n) + margin) for each row's anchor a, positive p and negative n, with any
/// distance d(x, y) of rows.
template <ExpressionLike A, ExpressionLike P, ExpressionLike N, class F, class R = reduce::Mean>
  requires std::is_invocable_v<const F&, const A&, const P&>
auto triplet_margin_with_distance_loss(const A& anchor, const P& positive, const N& negative,
                                       const F& distance, R reduction = {}, double margin = 1,
                                       bool swap = false) {
  detail::check_shapes("triplet_margin_loss", anchor, positive);
  detail::check_shapes("triplet_margin_loss", anchor, negative);
  const Var near = distance(anchor, positive);
  Var far = distance(anchor, negative);
  if (swap) {
    const Var other = distance(positive, negative);
    far = minimum(far, other);
  }
  return detail::reduced(detail::not_negative(near - far + detail::number<A>(margin)), reduction);
}

/// The same with the p-norm of differences (Balntas et al. 2016).
template <ExpressionLike A, ExpressionLike P, ExpressionLike N, class R = reduce::Mean>
auto triplet_margin_loss(const A& anchor, const P& positive, const N& negative,
                         const TripletOptions& options = {}, R reduction = {}) {
  const auto distance = [&](const auto& x, const auto& y) {
    return pairwise_distance(x, y, options.p, options.epsilon);
  };
  return triplet_margin_with_distance_loss(anchor, positive, negative, distance, reduction,
                                           options.margin, options.swap);
}

/// 1 - cos where y is 1, max(0, cos - margin) where it is -1, for the cosine of the angle between
/// the rows of a and b (..., width) and y (...).
template <ExpressionLike A, ExpressionLike B, ExpressionLike Y, class R = reduce::Mean>
auto cosine_embedding_loss(const A& a, const B& b, const Y& y, R reduction = {},
                           double margin = 0) {
  detail::check_shapes("cosine_embedding_loss", a, b);
  using V = decltype(Var(a * b));
  const auto least = detail::number<A>(1e-12);
  const V cosine = sum(a * b, axis(-1)) *
                   rsqrt((sum(square(a), axis(-1)) + least) * (sum(square(b), axis(-1)) + least));
  detail::check_shapes("cosine_embedding_loss", cosine, y);
  const auto one = detail::number<A>(1);
  const auto zero = detail::number<A>(0);
  return detail::reduced(
      where(y == one, one - cosine, zero) +
          where(y == -one, detail::not_negative(cosine - detail::number<A>(margin)), zero),
      reduction);
}

}  // namespace weft::nn

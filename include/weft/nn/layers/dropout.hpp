// Dropout, Dropout1d to Dropout3d, AlphaDropout and FeatureAlphaDropout.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/autograd/rows/compose.hpp"
#include "weft/core/math/activation.hpp"
#include "weft/nn/fields.hpp"
#include "weft/ops/random/random.hpp"

namespace weft::nn {

namespace detail {
inline void check_chance(const char* operation, double p) {
  if (!(p >= 0 && p <= 1)) fail<ValueError>(operation, "p = ", p, ", expected 0 to 1");
}

/// The expression of dropout: x / (1 - p) with probability 1 - p, and otherwise 0.
template <ExpressionLike X>
auto dropped(const X& x, double p) {
  using C = compute_t<typename X::value_type>;
  const auto scale = static_cast<C>(p == 1 ? 0 : 1 / (1 - p));
  return where(trials(1 - p, x.shape()), x * scale, C(0));
}

/// The shape of an input reduced to one element for each channel of each sample.
inline Shape channels_alone(const char* operation, const Shape& x, int first, bool fits,
                            const char* expected) {
  if (!fits) fail<ShapeError>(operation, "an input of shape ", x, ", expected ", expected);
  Shape out = x;
  for (int i = first; i < x.rank(); ++i) out[i] = 1;
  return out;
}

/// x times a mask of `shape`, which broadcasts to x and keeps each of its elements with probability
/// 1 - p.
template <class V>
V drop_shape(const V& x, const Shape& shape, double p) {
  using T = typename V::value_type;
  using C = compute_t<T>;
  const auto scale = static_cast<C>(p == 1 ? 0 : 1 / (1 - p));
  const Tensor<T, typename V::device_type> kept =
      where(trials(1 - p, shape), full<T>(shape, scale, x.device()), C(0));
  return V(x * kept);
}
}  // namespace detail

/// In training, sets each element to 0 with probability p and divides the others by 1 - p
/// (Srivastava et al. 2014). The backward pass draws the same numbers again instead of storing a
/// mask.
struct Dropout {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& x) const {
    using Value = decltype(Var(x));
    detail::check_chance("Dropout", p);
    if (!training || p == 0) return Value(x);
    return Value(detail::dropped(x, p));
  }
};

/// In training, sets each channel of each signal to 0 with probability p and divides the others by
/// 1 - p, for x of shape (batch, channel, length) or (channel, length).
struct Dropout1d {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    detail::check_chance("Dropout1d", p);
    const Shape channels =
        detail::channels_alone("Dropout1d", x.shape(), x.rank() - 1, x.rank() == 2 || x.rank() == 3,
                               "(batch, channel, length) or (channel, length)");
    if (!training || p == 0) return std::remove_const_t<decltype(x)>(x);
    return detail::drop_shape(x, channels, p);
  }
};

/// In training, sets each channel of each image to 0 with probability p and divides the others by 1
/// - p (Tompson et al. 2015), for x of shape (batch, channel, ...).
struct Dropout2d {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    detail::check_chance("Dropout2d", p);
    const Shape channels =
        detail::channels_alone("Dropout2d", x.shape(), 2, x.rank() >= 3, "(batch, channel, ...)");
    if (!training || p == 0) return std::remove_const_t<decltype(x)>(x);
    return detail::drop_shape(x, channels, p);
  }
};

/// The same for volumes, (batch, channel, z, y, x) or (channel, z, y, x).
struct Dropout3d {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    detail::check_chance("Dropout3d", p);
    const Shape channels =
        detail::channels_alone("Dropout3d", x.shape(), x.rank() - 3, x.rank() == 4 || x.rank() == 5,
                               "(batch, channel, z, y, x) or (channel, z, y, x)");
    if (!training || p == 0) return std::remove_const_t<decltype(x)>(x);
    return detail::drop_shape(x, channels, p);
  }
};

namespace detail {
/// Sets elements of x, by a mask of `shape` that broadcasts to it, to selu's limit at minus
/// infinity with probability p, then scales and shifts so that mean 0 and variance 1 are preserved
/// (Klambauer et al. 2017).
template <class V>
V alpha_drop(const V& x, const Shape& shape, double p) {
  using T = typename V::value_type;
  using C = compute_t<T>;
  using D = typename V::device_type;
  if (p == 1) return V(x * C(0));
  const double end = -math::selu_alpha<double> * math::selu_scale<double>;
  const double scale = 1 / std::sqrt((1 - p) * (1 + p * end * end));
  const double shift = -scale * p * end;
  const Tensor<bool, D> kept = full<bool>(shape, true, x.device()) && trials(1 - p, shape);
  return V(where(kept, x * static_cast<C>(scale) + static_cast<C>(shift),
                 static_cast<C>(scale * end + shift)));
}
}  // namespace detail

/// Dropout for networks with SELU: preserves mean 0 and variance 1.
struct AlphaDropout {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    detail::check_chance("AlphaDropout", p);
    if (!training || p == 0) return std::remove_const_t<decltype(x)>(x);
    return detail::alpha_drop(x, x.shape(), p);
  }
};

/// The same for whole channels of x, (batch, channel, ...).
struct FeatureAlphaDropout {
  double p = 0.5;
  bool training = true;

  auto fields() { return nn::fields("p", p); }

  template <ExpressionLike X>
  auto operator()(const X& e) const {
    const Var x = e;
    detail::check_chance("FeatureAlphaDropout", p);
    const Shape channels = detail::channels_alone("FeatureAlphaDropout", x.shape(), 2,
                                                  x.rank() >= 2, "(batch, channel, ...)");
    if (!training || p == 0) return std::remove_const_t<decltype(x)>(x);
    return detail::alpha_drop(x, channels, p);
  }
};

WEFT_MODEL(Module<Dropout>&& Module<Dropout1d>&& Module<Dropout2d>&& Module<Dropout3d>);
WEFT_MODEL(Module<AlphaDropout>&& Module<FeatureAlphaDropout>);

}  // namespace weft::nn

// nn::init: initialization of parameters, with PyTorch's formulas.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "weft/autograd/var.hpp"
#include "weft/ops/random/random.hpp"

namespace weft::nn::init {

/// Which of a weight's sizes sets the scale: the inputs', which preserves the variance of values,
/// or the outputs', which preserves the variance of gradients.
enum class Fan { in, out };

/// The fan-in and fan-out of a weight of shape (out, in, kernel...).
struct Fans {
  double in;
  double out;
};
inline Fans fans(const Shape& shape) {
  if (shape.rank() < 2) {
    fail<ShapeError>("init", "a weight of shape ", shape, ", expected at least 2 axes");
  }
  double kernel = 1;
  for (int i = 2; i < shape.rank(); ++i) kernel *= static_cast<double>(shape[i]);
  return {kernel * static_cast<double>(shape[1]), kernel * static_cast<double>(shape[0])};
}

/// The gain for an activation function (calculate_gain).
inline double relu_gain() { return std::sqrt(2.0); }
inline double leaky_relu_gain(double slope) { return std::sqrt(2 / (1 + slope * slope)); }
inline constexpr double tanh_gain = 5.0 / 3;

template <class T, class D>
void constant(const Var<T, D>& x, double value) {
  x.detach().fill(static_cast<compute_t<T>>(value));
}
template <class T, class D>
void zeros(const Var<T, D>& x) {
  constant(x, 0);
}
template <class T, class D>
void ones(const Var<T, D>& x) {
  constant(x, 1);
}

/// Uniform between low and high.
template <class T, class D>
void uniform(const Var<T, D>& x, double low, double high,
             Generator& generator = default_generator()) {
  using C = compute_t<T>;
  if (x.size() == 0) return;
  x.detach().assign(weft::uniform<T>(x.shape(), generator) * static_cast<C>(high - low) +
                    static_cast<C>(low));
}

template <class T, class D>
void normal(const Var<T, D>& x, double mean = 0, double deviation = 1,
            Generator& generator = default_generator()) {
  using C = compute_t<T>;
  if (x.size() == 0) return;
  x.detach().assign(weft::normal<T>(x.shape(), generator) * static_cast<C>(deviation) +
                    static_cast<C>(mean));
}

/// Normal, redrawn for values outside low to high.
template <class T, class D>
void trunc_normal(const Var<T, D>& x, double mean = 0, double deviation = 1, double low = -2,
                  double high = 2, Generator& generator = default_generator()) {
  using C = compute_t<T>;
  // Redrawing needs a fair chance to end.
  if (!(low < high) || !(deviation > 0) || low > mean + 2 * deviation ||
      high < mean - 2 * deviation || high - low < 0.01 * deviation) {
    fail<ValueError>("trunc_normal", "from ", low, " to ", high, " with mean ", mean,
                     " and deviation ", deviation, ", expected an interval within two deviations");
  }
  const Tensor<T, D>& to = x.detach();
  normal(x, mean, deviation, generator);
  const auto outside = [&] { return to < static_cast<C>(low) || to > static_cast<C>(high); };
  while (to.size() > 0 && any(outside()).item()) {
    to.assign(where(
        outside(),
        weft::normal<T>(x.shape(), generator) * static_cast<C>(deviation) + static_cast<C>(mean),
        to));
  }
}

/// Glorot and Bengio 2010.
template <class T, class D>
void xavier_uniform(const Var<T, D>& x, double gain = 1,
                    Generator& generator = default_generator()) {
  const Fans f = fans(x.shape());
  const double bound = gain * std::sqrt(6 / (f.in + f.out));
  uniform(x, -bound, bound, generator);
}
template <class T, class D>
void xavier_normal(const Var<T, D>& x, double gain = 1,
                   Generator& generator = default_generator()) {
  const Fans f = fans(x.shape());
  normal(x, 0, gain * std::sqrt(2 / (f.in + f.out)), generator);
}

/// He et al. 2015. The gain depends on the activation that follows, as in
/// kaiming_uniform_(nonlinearity=...).
template <class T, class D>
void kaiming_uniform(const Var<T, D>& x, double gain = relu_gain(), Fan fan = Fan::in,
                     Generator& generator = default_generator()) {
  const Fans f = fans(x.shape());
  const double bound = gain * std::sqrt(3 / (fan == Fan::in ? f.in : f.out));
  uniform(x, -bound, bound, generator);
}
template <class T, class D>
void kaiming_normal(const Var<T, D>& x, double gain = relu_gain(), Fan fan = Fan::in,
                    Generator& generator = default_generator()) {
  const Fans f = fans(x.shape());
  normal(x, 0, gain / std::sqrt(fan == Fan::in ? f.in : f.out), generator);
}

}  // namespace weft::nn::init

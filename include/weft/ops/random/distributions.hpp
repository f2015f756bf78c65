// random::exponential, gamma, beta, poisson, binomial and others: tensors of random numbers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/ops/random/variates.hpp"

// Each comes in two forms. With numbers as parameters: a tensor of the given shape and element type
// on a device; ValueError for parameters that the distribution does not have. With tensors or
// expressions among the parameters, which broadcast: one number for each of their elements, on
// their device; there a parameter that the distribution does not have gives NaN, or -1 in an
// integer. Numbers are computed in double from Philox's bits, and the element type rounds them
// once; gamma's of 32 bits and less are computed in float.

namespace weft::random {

/// Exponential: density rate exp(-rate x) for x > 0, of mean 1 / rate.
template <class T = float, Device D = Cpu>
Tensor<T, D> exponential(double rate, const Shape& shape, D device = {},
                         Generator& generator = default_generator()) {
  return detail::drawn<variate::exponential, T>(shape, device, generator, rate);
}
template <class A>
  requires OperandsOf<A>
auto exponential(const A& rate, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::exponential, detail::parameter_t<A>>(generator, rate);
}

/// Laplace: density exp(-|x - location| / scale) / (2 scale).
template <class T = float, Device D = Cpu>
Tensor<T, D> laplace(double location, double scale, const Shape& shape, D device = {},
                     Generator& generator = default_generator()) {
  return detail::drawn<variate::laplace, T>(shape, device, generator, location, scale);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto laplace(const A& location, const B& scale, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::laplace, detail::parameter_t<A, B>>(generator, location, scale);
}

/// Cauchy: density 1 / (pi scale (1 + ((x - location) / scale)^2)).
template <class T = float, Device D = Cpu>
Tensor<T, D> cauchy(double location, double scale, const Shape& shape, D device = {},
                    Generator& generator = default_generator()) {
  return detail::drawn<variate::cauchy, T>(shape, device, generator, location, scale);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto cauchy(const A& location, const B& scale, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::cauchy, detail::parameter_t<A, B>>(generator, location, scale);
}

/// Gumbel: distribution function exp(-exp(-(x - location) / scale)).
template <class T = float, Device D = Cpu>
Tensor<T, D> gumbel(double location, double scale, const Shape& shape, D device = {},
                    Generator& generator = default_generator()) {
  return detail::drawn<variate::gumbel, T>(shape, device, generator, location, scale);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto gumbel(const A& location, const B& scale, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::gumbel, detail::parameter_t<A, B>>(generator, location, scale);
}

/// exp(x) of normal x of this mean and deviation.
template <class T = float, Device D = Cpu>
Tensor<T, D> log_normal(double mean, double deviation, const Shape& shape, D device = {},
                        Generator& generator = default_generator()) {
  return detail::drawn<variate::log_normal, T>(shape, device, generator, mean, deviation);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto log_normal(const A& mean, const B& deviation, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::log_normal, detail::parameter_t<A, B>>(generator, mean,
                                                                           deviation);
}

/// Gamma: density proportional to x^(shape - 1) exp(-x / scale), of mean shape * scale.
template <class T = float, Device D = Cpu>
Tensor<T, D> gamma(double shape, double scale, const Shape& sizes, D device = {},
                   Generator& generator = default_generator()) {
  return detail::drawn<variate::gamma, T>(sizes, device, generator, shape, scale);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto gamma(const A& shape, const B& scale, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::gamma, detail::parameter_t<A, B>>(generator, shape, scale);
}

/// Beta: density proportional to x^(a - 1) (1 - x)^(b - 1), of mean a / (a + b).
template <class T = float, Device D = Cpu>
Tensor<T, D> beta(double a, double b, const Shape& shape, D device = {},
                  Generator& generator = default_generator()) {
  return detail::drawn<variate::beta, T>(shape, device, generator, a, b);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto beta(const A& a, const B& b, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::beta, detail::parameter_t<A, B>>(generator, a, b);
}

/// Wald, the inverse Gaussian: density sqrt(scale / (2 pi x^3)) exp(-scale (x - mean)^2 /
/// (2 mean^2 x)) for x > 0.
template <class T = float, Device D = Cpu>
Tensor<T, D> wald(double mean, double scale, const Shape& shape, D device = {},
                  Generator& generator = default_generator()) {
  return detail::drawn<variate::wald, T>(shape, device, generator, mean, scale);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto wald(const A& mean, const B& scale, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::wald, detail::parameter_t<A, B>>(generator, mean, scale);
}

/// Normal with this mean and deviation, conditioned on lying between low and high, which may be
/// infinite.
template <class T = float, Device D = Cpu>
Tensor<T, D> truncated_normal(double mean, double deviation, double low, double high,
                              const Shape& shape, D device = {},
                              Generator& generator = default_generator()) {
  return detail::drawn<variate::truncated_normal, T>(shape, device, generator, mean, deviation, low,
                                                     high);
}
template <class A, class B, class C, class P>
  requires OperandsOf<A, B, C, P>
auto truncated_normal(const A& mean, const B& deviation, const C& low, const P& high,
                      Generator& generator = default_generator()) {
  return detail::drawn_for<variate::truncated_normal, detail::parameter_t<A, B, C, P>>(
      generator, mean, deviation, low, high);
}

/// Angles from -pi to pi: density proportional to exp(concentration cos(x - mean)).
template <class T = float, Device D = Cpu>
Tensor<T, D> von_mises(double mean, double concentration, const Shape& shape, D device = {},
                       Generator& generator = default_generator()) {
  return detail::drawn<variate::von_mises, T>(shape, device, generator, mean, concentration);
}
template <class A, class B>
  requires OperandsOf<A, B>
auto von_mises(const A& mean, const B& concentration, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::von_mises, detail::parameter_t<A, B>>(generator, mean,
                                                                          concentration);
}

/// Poisson: the number of events, k with probability rate^k exp(-rate) / k!.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> poisson(double rate, const Shape& shape, D device = {},
                     Generator& generator = default_generator()) {
  return detail::drawn<variate::poisson, T>(shape, device, generator, rate);
}
template <class T = std::int64_t, class A>
  requires OperandsOf<A>
auto poisson(const A& rate, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::poisson, T>(generator, rate);
}

/// Binomial: the number of successes in `trials` trials with probability p each.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> binomial(double trials, double p, const Shape& shape, D device = {},
                      Generator& generator = default_generator()) {
  return detail::drawn<variate::binomial, T>(shape, device, generator, trials, p);
}
template <class T = std::int64_t, class A, class B>
  requires OperandsOf<A, B>
auto binomial(const A& trials, const B& p, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::binomial, T>(generator, trials, p);
}

/// Geometric: the number of trials up to the first success, each with probability p; at least 1.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> geometric(double p, const Shape& shape, D device = {},
                       Generator& generator = default_generator()) {
  return detail::drawn<variate::geometric, T>(shape, device, generator, p);
}
template <class T = std::int64_t, class A>
  requires OperandsOf<A>
auto geometric(const A& p, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::geometric, T>(generator, p);
}

/// Hypergeometric: the number of good items among `draws` drawn without replacement from `good`
/// good and `bad` bad ones.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> hypergeometric(double good, double bad, double draws, const Shape& shape,
                            D device = {}, Generator& generator = default_generator()) {
  return detail::drawn<variate::hypergeometric, T>(shape, device, generator, good, bad, draws);
}
template <class T = std::int64_t, class A, class B, class C>
  requires OperandsOf<A, B, C>
auto hypergeometric(const A& good, const B& bad, const C& draws,
                    Generator& generator = default_generator()) {
  return detail::drawn_for<variate::hypergeometric, T>(generator, good, bad, draws);
}

/// Logarithmic series: k >= 1 with probability -p^k / (k log(1 - p)).
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> log_series(double p, const Shape& shape, D device = {},
                        Generator& generator = default_generator()) {
  return detail::drawn<variate::log_series, T>(shape, device, generator, p);
}
template <class T = std::int64_t, class A>
  requires OperandsOf<A>
auto log_series(const A& p, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::log_series, T>(generator, p);
}

/// Zipf: k >= 1 with probability proportional to k^-exponent.
template <class T = std::int64_t, Device D = Cpu>
Tensor<T, D> zipf(double exponent, const Shape& shape, D device = {},
                  Generator& generator = default_generator()) {
  return detail::drawn<variate::zipf, T>(shape, device, generator, exponent);
}
template <class T = std::int64_t, class A>
  requires OperandsOf<A>
auto zipf(const A& exponent, Generator& generator = default_generator()) {
  return detail::drawn_for<variate::zipf, T>(generator, exponent);
}

}  // namespace weft::random

// SPDX-License-Identifier: Apache-2.0
#include "weft/core/math/for_half.hpp"

#include <cmath>

#include "test.hpp"

namespace {

/// The largest error of f over the numbers of half, relative to the exact value, of those whose
/// value is a normal number of half.
template <class F, class Exact>
double worst(const F& f, const Exact& exact) {
  double most = 0;
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const float x = static_cast<float>(weft::half::from_bits(static_cast<std::uint16_t>(bits)));
    if (!std::isfinite(x)) continue;
    const double value = exact(double{x});
    if (std::fabs(value) < 6.2e-5 || std::fabs(value) > 65504) continue;
    const double error = std::fabs(f(x) - value) / std::fabs(value);
    most = error > most ? error : most;
  }
  return most;
}

double sigmoid_of(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

TEST_CASE("functions for half are within 2^-13 of the value") {
  namespace for_half = weft::math::gpu::for_half;
  constexpr double bound = 0x1p-13;
  CHECK(worst([](float x) { return for_half::exp(x); }, [](double x) { return std::exp(x); }) <
        bound);
  CHECK(worst([](float x) { return for_half::sigmoid(x); }, sigmoid_of) < bound);
  CHECK(worst([](float x) { return for_half::silu(x); },
              [](double x) { return x * sigmoid_of(x); }) < bound);
  CHECK(worst([](float x) { return for_half::tanh(x); }, [](double x) { return std::tanh(x); }) <
        bound);
  CHECK(worst([](float x) { return for_half::gelu(x); },
              [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }) < bound);
  CHECK(worst([](float x) { return for_half::gelu_tanh(x); },
              [](double x) {
                return x *
                       sigmoid_of(2 * std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x));
              }) < bound);
  CHECK(worst([](float x) { return for_half::softplus(x); },
              [](double x) {
                return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
              }) < bound);
}

TEST_CASE("powers for half are within 2^-13 of the value, whatever the exponent") {
  for (const double y : {0.8, 0.1, -0.3, 1.7, 5.0, 6.0, -7.0, 33.0, -250.5, 1000.0, 60000.0}) {
    CAPTURE(y);
    CHECK(worst([&](float x) { return weft::math::gpu::for_half::pow(x, static_cast<float>(y)); },
                [&](double x) { return std::pow(x, double{static_cast<float>(y)}); }) < 0x1p-13);
  }
}

TEST_CASE("powers for half have the special values of C's pow") {
  const float infinity = __builtin_inff();
  const float numbers[] = {0.F,  -0.F,     1.F,     -1.F,     0.5F,     -0.5F,    2.F,
                           -2.F, 3.F,      -3.F,    4.F,      1.5F,     -2.5F,    7.F,
                           -8.F, 0x1p-24F, 65504.F, -65504.F, infinity, -infinity};
  int wrong = 0;
  for (const float x : numbers) {
    for (const float y : numbers) {
      const float found = weft::math::gpu::for_half::pow(x, y);
      const float exact = std::pow(x, y);
      const bool same = std::isnan(exact)   ? std::isnan(found)
                        : std::isinf(exact) ? found == exact
                        : exact == 0 ? found == 0 && std::signbit(found) == std::signbit(exact)
                                     : std::fabs(found - exact) <= 0x1p-13F * std::fabs(exact);
      // A large result that a float holds may not be one that its 2^x does, and the other way.
      const bool far = std::fabs(exact) > 1e30F || std::fabs(exact) < 1e-30F;
      if (!same && !far) {
        MESSAGE(x << " to the power of " << y << " is " << found);
        ++wrong;
      }
    }
  }
  CHECK(wrong == 0);
  const float tiny = 0x1.8p-130F;  // a subnormal number, as bfloat16 has
  CHECK(std::isnan(weft::math::gpu::for_half::pow(-tiny, 0.8F)));
  CHECK(std::fabs(weft::math::gpu::for_half::pow(tiny, 0.8F) / std::pow(tiny, 0.8F) - 1) < 0x1p-13);
  CHECK(std::isnan(weft::math::gpu::for_half::pow(__builtin_nanf(""), 1.5F)));
  CHECK(weft::math::gpu::for_half::pow(__builtin_nanf(""), 0.F) == 1);
}

TEST_CASE("functions for half at infinity and NaN") {
  namespace for_half = weft::math::gpu::for_half;
  const float infinity = __builtin_inff();
  const float nan = __builtin_nanf("");
  CHECK(for_half::sigmoid(infinity) == 1);
  CHECK(for_half::sigmoid(-infinity) == 0);
  CHECK(for_half::tanh(infinity) == 1);
  CHECK(for_half::tanh(-infinity) == -1);
  CHECK(for_half::gelu(infinity) == infinity);
  CHECK(for_half::gelu(-infinity) == 0);
  CHECK(for_half::softplus(infinity) == infinity);
  CHECK(for_half::softplus(-infinity) == 0);
  CHECK(std::isnan(for_half::sigmoid(nan)));
  CHECK(std::isnan(for_half::tanh(nan)));
  CHECK(std::isnan(for_half::gelu(nan)));
  CHECK(std::isnan(for_half::softplus(nan)));
}

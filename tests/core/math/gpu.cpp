// SPDX-License-Identifier: Apache-2.0
#include "weft/core/math/gpu.hpp"

#include <cmath>
#include <limits>

#include "gradients.hpp"

using namespace weft;

namespace {
constexpr float infinity = std::numeric_limits<float>::infinity();

/// The largest error of f over floats from -12 to 12, in units of their last place, of which
/// `allowed` of x are taken off.
template <class D, class F, class Reference, class Allowed>
double worst(const F& f, const Reference& reference, const Allowed& allowed) {
  const std::int64_t n = 40001;
  const Tensor<float> x = (arange<float>(n) - 20000.F) * 0.0006F;
  const auto points = x.to_vector();
  const auto values = f(x.to(D{})).to_vector();
  double most = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double exact = reference(double{points[i]});
    const auto size = static_cast<float>(std::fabs(exact));
    const double unit = double{std::nextafter(size, infinity)} - size;
    const double error = std::fabs(values[i] - exact) / unit - allowed(double{points[i]});
    most = error > most ? error : most;
  }
  return most;
}
}  // namespace

TEST_CASE_TEMPLATE("gelu, its slope and softplus of float keep their digits on each device", D,
                   TEST_DEVICES) {
  const auto none = [](double) { return 0.0; };
  const auto square = [](double x) { return x * x; };
  CHECK(worst<D>([](const auto& x) { return gelu(x).eval(); },
                 [](double x) { return x * std::erfc(-x / std::sqrt(2.0)) / 2; }, square) < 6);
  CHECK(worst<D>([](const auto& x) { return softplus(x).eval(); },
                 [](double x) { return std::log1p(std::exp(-std::fabs(x))) + std::fmax(x, 0); },
                 none) < 6);
  CHECK(worst<D>(
            [](const auto& x) {
              const Var v = parameter(x.clone());
              sum(gelu(v)).eval().backward();
              return v.grad();
            },
            [](double x) {
              return std::erfc(-x / std::sqrt(2.0)) / 2 +
                     x * std::exp(-x * x / 2) / std::sqrt(2 * 3.14159265358979323846);
            },
            // The slope is 0 near -0.75, where its two terms cancel.
            [](double x) {
              return x * x + (x < 0 ? 1e6 * std::exp(-20 * std::fabs(x + 0.75)) + x * x : 0);
            }) < 16);
}

TEST_CASE_TEMPLATE("gelu and softplus at the ends", D, TEST_DEVICES) {
  const auto x = tensor<float>({-infinity, -100, 0, 100, infinity, NAN}).to(D{});
  const auto y = gelu(x).eval().to_vector();
  CHECK((y[0] == 0 || std::isnan(y[0])));
  CHECK((y[1] == 0 && y[2] == 0 && y[3] == 100 && y[4] == infinity && std::isnan(y[5])));
  const auto z = softplus(x).eval().to_vector();
  CHECK((z[0] == 0 && z[1] == doctest::Approx(0) && z[3] == 100 && z[4] == infinity));
  CHECK(std::isnan(z[5]));
  const auto scaled = softplus(x(slice(2, 4)), 2.F).eval().to_vector();
  CHECK(scaled[0] == doctest::Approx(std::log(2.0) / 2));
  CHECK(scaled[1] == 100);
}

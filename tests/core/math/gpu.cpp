// SPDX-License-Identifier: Apache-2.0
#include "weft/core/math/gpu.hpp"

#include <cmath>
#include <limits>

#include "gradients.hpp"
#include "sweep.hpp"

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

TEST_CASE_TEMPLATE("exponentials of negative numbers keep their digits on each device", D,
                   TEST_DEVICES) {
  const auto exp_of_negative = [](const auto& x) { return lift(op::exp_of_negative{}, x).eval(); };
  const auto unlike = [](const auto& x, const auto& f) { return where(x < 0.F, f(x), 1.F).eval(); };
  CHECK(worst<D>([&](const auto& x) { return unlike(x, exp_of_negative); },
                 [](double x) { return x < 0 ? std::exp(x) : 1; }, [](double) { return 0.0; }) < 4);
  const auto far = tensor<float>({-infinity, -1e30F, -128, -104, -87, -1e-30F, 0, NAN}).to(D{});
  const auto y = exp_of_negative(far).to_vector();
  CHECK((y[0] == 0 && y[1] == 0 && y[2] < 1e-37F && y[3] < 1e-37F));
  CHECK(y[4] == doctest::Approx(std::exp(-87.0)).epsilon(1e-6));
  CHECK((y[5] == 1 && y[6] == 1 && std::isnan(y[7])));
}

namespace {
/// x^y of vectors, on a device by a statement and, for `void`, by the GPU's function on the CPU.
template <class D>
std::vector<float> powers(const std::vector<float>& x, const std::vector<float>& y) {
  if constexpr (std::is_void_v<D>) {
    std::vector<float> z;
    for (std::size_t i = 0; i < x.size(); ++i) z.push_back(math::gpu::pow(x[i], y[i]));
    return z;
  } else {
    return pow(tensor(x).to(D{}), tensor(y).to(D{})).eval().to_vector();
  }
}

template <class D>
void check_powers() {
  std::vector<float> x, y;
  auto numbers = test::special_numbers<float>();
  for (const float v : {3.F, -3.F, -0.5F, 1.5F, -7.F, 16777215.F, -16777216.F, 8388607.5F, 1e10F,
                        -1e30F, 0x1p41F, 1.0000001F, -0.99999994F}) {
    numbers.push_back(v);
  }
  for (const float a : numbers) {
    for (const float b : numbers) x.push_back(a), y.push_back(b);
  }
  for (int a = -300; a <= 300; ++a) {
    for (int b = 0; b <= 24; ++b) {
      if (std::pow(std::fabs(a), b) <= 0x1p24) x.push_back(float(a)), y.push_back(float(b));
    }
  }
  const std::size_t exact = x.size();
  test::Numbers random;
  for (int i = 0; i < 60000; ++i) {
    const double range = i % 4 == 0 ? 149 : i % 4 == 1 ? 5 : i % 4 == 2 ? 1e-3 : 0.5;
    x.push_back(static_cast<float>(std::exp2(random.uniform(-range, range))));
    const double all = random.uniform(-1, 1) * 150 / std::log2(double{x.back()});
    y.push_back(static_cast<float>(i % 8 < 4 ? all : random.uniform(-30, 30)));
  }
  for (const float exponent : {1.F, 2.F, 3.F, 4.F, 0.5F, -0.5F, -1.F}) {
    for (int i = 0; i < 1000; ++i) {
      const double sign = i % 3 == 0 ? -1 : 1;
      x.push_back(static_cast<float>(sign * std::exp2(random.uniform(-149, 128))));
      y.push_back(exponent);
    }
  }
  const std::vector<float> z = powers<D>(x, y);
  test::Worst worst;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const long double expected = std::pow(static_cast<long double>(x[i]), y[i]);
    const double error = test::ulps(z[i], expected);
    worst(error, double{x[i]}, double{y[i]});
    if (i >= exact) continue;
    INFO(x[i], " to the power ", y[i], " gives ", z[i]);
    CHECK(error <= 4);
    if (expected == 0) CHECK(std::signbit(z[i]) == std::signbit(expected));
    if (i >= numbers.size() * numbers.size()) CHECK(error == 0);
  }
  CHECK_MESSAGE(worst.error <= 4, worst.at, " to the power ", worst.also);
  CHECK(powers<D>({1.1F, 12636540.F}, {2.F, 1.F}) == std::vector{1.1F * 1.1F, 12636540.F});
}
}  // namespace

TEST_CASE("the GPU's pow is within 4 ulp, here too") { check_powers<void>(); }

TEST_CASE_TEMPLATE("pow of float: digits, special values, exact integers on each device", D,
                   TEST_DEVICES) {
  check_powers<D>();
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/core/complex.hpp>

#include <cmath>
#include <complex>

#include "reference.hpp"
#include "test.hpp"

using weft::complex;

namespace {
template <class T>
std::complex<long double> wide(complex<T> z) {
  return {z.re, z.im};
}
/// The error relative to |expected|, in the epsilon of T.
template <class T>
double error(complex<T> got, std::complex<long double> expected) {
  return static_cast<double>(std::abs(wide(got) - expected) / std::abs(expected) /
                             std::numeric_limits<T>::epsilon());
}
}  // namespace

TEST_CASE_TEMPLATE("arithmetic agrees with std::complex", T, float, double) {
  test::Numbers numbers;
  double worst_sum = 0;
  double worst_product = 0;
  double worst_quotient = 0;
  const auto number = [&] {
    return static_cast<T>(
        std::ldexp(numbers.uniform(-2, 2), static_cast<int>(numbers.bits() % 40) - 20));
  };
  for (int i = 0; i < 20000; ++i) {
    const complex<T> a(number(), number());
    const complex<T> b(number(), number());
    worst_sum = std::max(worst_sum, error(a + b, wide(a) + wide(b)));
    worst_sum = std::max(worst_sum, error(a - b, wide(a) - wide(b)));
    worst_product = std::max(worst_product, error(a * b, wide(a) * wide(b)));
    worst_quotient = std::max(worst_quotient, error(a / b, wide(a) / wide(b)));
  }
  CHECK(worst_sum <= 1);
  CHECK(worst_product <= 2);
  CHECK(worst_quotient <= 4);
}

TEST_CASE_TEMPLATE("division neither overflows nor underflows on the way", T, float, double) {
  const T huge = std::numeric_limits<T>::max() / 4;
  const T tiny = std::numeric_limits<T>::min() * 4;
  CHECK(complex<T>(huge, huge) / complex<T>(huge, huge) == complex<T>(1, 0));
  CHECK(complex<T>(tiny, tiny) / complex<T>(tiny, tiny) == complex<T>(1, 0));
  CHECK(complex<T>(huge, 0) / complex<T>(huge, -huge) == complex<T>(T(0.5), T(0.5)));
  CHECK(complex<T>(1, 1) / complex<T>(1, std::numeric_limits<T>::denorm_min()) == complex<T>(1, 1));
  CHECK(complex<T>(1, 0) / complex<T>(0, 2) == complex<T>(0, T(-0.5)));
  CHECK(std::isinf((complex<T>(1, 1) / complex<T>(0, 0)).re));
  CHECK(std::isnan((complex<T>(0, 0) / complex<T>(0, 0)).re));
}

TEST_CASE("real numbers mix in, on either side") {
  constexpr complex<float> z(3, 4);
  static_assert(z + 1.0F == complex<float>(4, 4) && 1.0F + z == complex<float>(4, 4));
  static_assert(z - 1.0F == complex<float>(2, 4) && 1.0F - z == complex<float>(-2, -4));
  static_assert(z * 2.0F == complex<float>(6, 8) && 2.0F * z == complex<float>(6, 8));
  static_assert(z / 2.0F == complex<float>(1.5F, 2) && 25.0F / z == complex<float>(3, -4));
  static_assert(-z == complex<float>(-3, -4) && z != z * 2.0F);
  static_assert(complex<float>(2) == 2.0F && 2.0F == complex<float>(2) &&
                1 / complex<float>(2) == 0.5F);
  complex<float> w = z;
  w += z;
  w *= 2.0F;
  w -= z;
  w /= z;
  CHECK(w == 3.0F);
}

TEST_CASE("conversions: std::complex both ways; wider implicitly, narrower explicitly") {
  const std::complex<float> s = complex<float>(1, 2);
  const complex<float> z = s;
  CHECK(z == complex<float>(1, 2));
  CHECK(z.real() == 1);
  CHECK(z.imag() == 2);
  const complex<double> wider = z;
  CHECK(wider == complex<double>(1, 2));
  static_assert(!std::is_convertible_v<complex<double>, complex<float>>);
  static_assert(!std::is_convertible_v<std::complex<double>, complex<float>>);
  static_assert(std::is_constructible_v<complex<float>, std::complex<double>>);
  static_assert(sizeof(complex<float>) == sizeof(std::complex<float>));
}

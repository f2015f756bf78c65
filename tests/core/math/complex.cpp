// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/complex.hpp>

#include <cmath>
#include <complex>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;
using weft::complex;

namespace {
using Long = std::complex<long double>;

/// The worst error over z in the square [-size, size]^2, relative to |f(z)|, in epsilons.
template <class T, class F, class R>
double worst(F f, R reference, double size) {
  test::Numbers numbers;
  double worst = 0;
  for (int i = 0; i < 10000; ++i) {
    const double scale =
        i % 2 == 0 ? size : size * std::ldexp(1.0, -static_cast<int>(numbers.bits() % 16));
    const complex<T> z(static_cast<T>(numbers.uniform(-scale, scale)),
                       static_cast<T>(numbers.uniform(-scale, scale)));
    const Long expected = reference(Long(z.re, z.im));
    const complex<T> got = f(z);
    const long double error = std::abs(Long(got.re, got.im) - expected) / std::abs(expected);
    worst = std::max(worst, static_cast<double>(error));
  }
  return worst / static_cast<double>(std::numeric_limits<T>::epsilon());
}
}  // namespace

TEST_CASE_TEMPLATE("complex functions agree with std::complex in long double", T, float, double) {
  // clang-format off
  CHECK(worst<T>([](auto z) { return math::exp(z); },   [](Long z) { return std::exp(z); },   20) <= 4);
  CHECK(worst<T>([](auto z) { return math::exp2(z); },  [](Long z) { return std::pow(Long(2), z); }, 4) <= 8);
  CHECK(worst<T>([](auto z) { return math::expm1(z); }, [](Long z) { return 2.0L * std::exp(z / 2.0L) * std::sinh(z / 2.0L); }, 4) <= 8);
  CHECK(worst<T>([](auto z) { return math::log(z); },   [](Long z) { return std::log(z); },  100) <= 4);
  CHECK(worst<T>([](auto z) { return math::log(z); },   [](Long z) { return std::log(z); },    2) <= 4);
  CHECK(worst<T>([](auto z) { return math::log2(z); },  [](Long z) { return std::log(z) / std::log(2.0L); }, 9) <= 5);
  CHECK(worst<T>([](auto z) { return math::log10(z); }, [](Long z) { return std::log10(z); },  9) <= 5);
  CHECK(worst<T>([](auto z) { return math::log1p(z); }, [](Long z) { return 2.0L * std::atanh(z / (2.0L + z)); }, 2) <= 8);
  CHECK(worst<T>([](auto z) { return math::sqrt(z); },  [](Long z) { return std::sqrt(z); }, 100) <= 3);
  CHECK(worst<T>([](auto z) { return math::rsqrt(z); }, [](Long z) { return 1.0L / std::sqrt(z); }, 100) <= 6);
  CHECK(worst<T>([](auto z) { return math::sin(z); },   [](Long z) { return std::sin(z); },   20) <= 5);
  CHECK(worst<T>([](auto z) { return math::cos(z); },   [](Long z) { return std::cos(z); },   20) <= 5);
  CHECK(worst<T>([](auto z) { return math::tan(z); },   [](Long z) { return std::tan(z); },   20) <= 8);
  CHECK(worst<T>([](auto z) { return math::sinh(z); },  [](Long z) { return std::sinh(z); },  20) <= 5);
  CHECK(worst<T>([](auto z) { return math::cosh(z); },  [](Long z) { return std::cosh(z); },  20) <= 5);
  CHECK(worst<T>([](auto z) { return math::tanh(z); },  [](Long z) { return std::tanh(z); },  20) <= 8);
  CHECK(worst<T>([](auto z) { return math::asin(z); },  [](Long z) { return std::asin(z); },   9) <= 8);
  CHECK(worst<T>([](auto z) { return math::acos(z); },  [](Long z) { return std::acos(z); },   9) <= 8);
  CHECK(worst<T>([](auto z) { return math::atan(z); },  [](Long z) { return std::atan(z); },   9) <= 8);
  CHECK(worst<T>([](auto z) { return math::asinh(z); }, [](Long z) { return std::asinh(z); },  9) <= 8);
  CHECK(worst<T>([](auto z) { return math::acosh(z); }, [](Long z) { return std::acosh(z); },  9) <= 8);
  CHECK(worst<T>([](auto z) { return math::atanh(z); }, [](Long z) { return std::atanh(z); },  9) <= 8);
  CHECK(worst<T>([](auto z) { return math::sigmoid(z); }, [](Long z) { return 1.0L / (1.0L + std::exp(-z)); }, 3) <= 8);
  CHECK(worst<T>([](auto z) { return math::pow(z, complex<T>(T(1.5), T(-0.5))); }, [](Long z) { return std::pow(z, Long(1.5L, -0.5L)); }, 4) <= 24);
  // clang-format on
}

TEST_CASE_TEMPLATE("square roots of the largest and smallest numbers", T, float, double) {
  const T huge = std::numeric_limits<T>::max();
  const T tiny = std::numeric_limits<T>::denorm_min();
  for (const complex<T> z : {complex<T>(huge, huge), complex<T>(-huge, huge / 3),
                             complex<T>(tiny, tiny), complex<T>(-tiny * 5, tiny)}) {
    const Long expected = std::sqrt(Long(z.re, z.im));
    const complex<T> got = math::sqrt(z);
    CHECK(std::abs(Long(got.re, got.im) - expected) <=
          4 * std::numeric_limits<T>::epsilon() * std::abs(expected));
  }
}

TEST_CASE_TEMPLATE("branch cuts and special values", T, float, double) {
  const T zero = 0;
  CHECK(math::sqrt(complex<T>(-4, zero)) == complex<T>(0, 2));
  CHECK(math::sqrt(complex<T>(-4, -zero)) == complex<T>(0, -2));
  CHECK(math::log(complex<T>(-1, zero)).im == doctest::Approx(3.14159265358979));
  CHECK(math::log(complex<T>(-1, -zero)).im == doctest::Approx(-3.14159265358979));
  CHECK(math::asin(complex<T>(2, zero)).im > 0);
  CHECK(math::asin(complex<T>(2, -zero)).im < 0);
  CHECK(math::tanh(complex<T>(1000, 1)) == complex<T>(1, 0));
  CHECK(math::abs(complex<T>(3, 4)) == 5);
  CHECK(math::arg(complex<T>(0, 1)) == doctest::Approx(1.5707963267949));
  CHECK(math::conj(complex<T>(3, 4)) == complex<T>(3, -4));
  CHECK(math::sign(complex<T>(0)) == T(0));
  CHECK(math::sign(complex<T>(0, -5)) == complex<T>(0, -1));
  CHECK(math::pow(complex<T>(0), complex<T>(3)) == T(0));
  CHECK(math::pow(complex<T>(0), complex<T>(0)) == T(1));
  CHECK(math::pow(complex<T>(1, 2), complex<T>(2)) == complex<T>(-3, 4));
}

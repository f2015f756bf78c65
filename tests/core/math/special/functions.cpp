// SPDX-License-Identifier: Apache-2.0
#include <weft/core/math/special/bessel.hpp>
#include <weft/core/math/special/divergence.hpp>
#include <weft/core/math/special/dual.hpp>
#include <weft/core/math/special/gamma_function.hpp>
#include <weft/core/math/special/incomplete_beta.hpp>
#include <weft/core/math/special/incomplete_gamma.hpp>
#include <weft/core/math/special/modified_bessel.hpp>
#include <weft/core/math/special/normal.hpp>
#include <weft/core/math/special/parts.hpp>
#include <weft/core/math/special/polynomial.hpp>
#include <weft/core/math/special/zeta.hpp>

#include <cstring>

#include "reference.hpp"
#include "test.hpp"

namespace math = weft::math;

namespace {

struct Row {
  const char* name;
  double x, y, z;
  long double value;
};
constexpr Row rows[] = {
#include "vectors.inc"
};

/// A function of up to three numbers, its largest error in ulp for float and double, and whether
/// that is beside its amplitude (it oscillates, or its value may cancel) instead of its value.
template <class T>
struct Case {
  const char* name;
  T (*f)(T, T, T);
  double float_ulps;
  double double_ulps;
  double amplitude = 0;
};

template <class T>
const Case<T> cases[] = {
    // clang-format off
    {"gamma",       [](T x, T, T) { return math::gamma(x); },             0.5001, 4},
    {"beta",        [](T x, T y, T) { return math::beta(x, y); },         0.5001, 30},
    {"lbeta",       [](T x, T y, T) { return math::lbeta(x, y); },        0.5001, 4, 1},
    {"gammainc",    [](T x, T y, T) { return math::gammainc(x, y); },     0.5001, 60},
    {"gammaincc",   [](T x, T y, T) { return math::gammaincc(x, y); },    0.5001, 60},
    {"betainc",     [](T x, T y, T z) { return math::betainc(x, y, z); }, 0.5001, 60},
    {"erfinv",      [](T x, T, T) { return math::erfinv(x); },            0.5001, 4},
    {"erfcinv",     [](T x, T, T) { return math::erfcinv(x); },           0.5001, 4},
    {"erfcx",       [](T x, T, T) { return math::erfcx(x); },             0.5001, 4},
    {"ndtr",        [](T x, T, T) { return math::ndtr(x); },              0.5001, 4},
    {"log_ndtr",    [](T x, T, T) { return math::log_ndtr(x); },          0.5001, 4},
    {"ndtri",       [](T x, T, T) { return math::ndtri(x); },             0.5001, 4},
    {"j0",          [](T x, T, T) { return math::j0(x); },                0.5001, 4, 1},
    {"j1",          [](T x, T, T) { return math::j1(x); },                0.5001, 4, 1},
    {"y0",          [](T x, T, T) { return math::y0(x); },                0.5001, 4, 1},
    {"y1",          [](T x, T, T) { return math::y1(x); },                0.5001, 4, 1},
    {"i0",          [](T x, T, T) { return math::i0(x); },                0.5001, 4},
    {"i0e",         [](T x, T, T) { return math::i0e(x); },               0.5001, 4},
    {"i1",          [](T x, T, T) { return math::i1(x); },                0.5001, 4},
    {"i1e",         [](T x, T, T) { return math::i1e(x); },               0.5001, 4},
    {"k0",          [](T x, T, T) { return math::k0(x); },                0.5001, 8},
    {"k0e",         [](T x, T, T) { return math::k0e(x); },               0.5001, 8},
    {"k1",          [](T x, T, T) { return math::k1(x); },                0.5001, 4},
    {"k1e",         [](T x, T, T) { return math::k1e(x); },               0.5001, 4},
    {"zeta",        [](T x, T y, T) { return math::zeta(x, y); },         0.5001, 4},
    {"polygamma",   [](T n, T x, T) { return math::polygamma(static_cast<int>(n), x); }, 0.5001, 6},
    {"digamma",     [](T x, T, T) { return math::digamma(x); },           0.5001, 6},
    {"sinc",        [](T x, T, T) { return math::sinc(x); },              0.5001, 4},
    {"entr",        [](T x, T, T) { return math::entr(x); },              4, 4},
    {"rel_entr",    [](T x, T y, T) { return math::rel_entr(x, y); },     4, 4},
    {"kl_div",      [](T x, T y, T) { return math::kl_div(x, y); },       8, 8},
    {"logit",       [](T x, T, T) { return math::logit(x); },             4, 4},
    {"logaddexp",   [](T x, T y, T) { return math::logaddexp(x, y); },    4, 4, 1},
    {"logaddexp2",  [](T x, T y, T) { return math::logaddexp2(x, y); },   4, 4, 1},
    {"logsubexp",   [](T x, T y, T) { return math::logsubexp(x, y); },    4, 4, 1},
    {"xlog1py",     [](T x, T y, T) { return math::xlog1py(x, y); },      4, 4},
    {"hypot3",      [](T x, T y, T z) { return math::hypot3(x, y, z); },  2, 2},
    // clang-format on
};

}  // namespace

TEST_CASE_TEMPLATE("special functions against mpmath", T, float, double) {
  for (const Case<T>& c : cases<T>) {
    test::Worst worst;
    int count = 0;
    for (const Row& row : rows) {
      if (std::strcmp(row.name, c.name) != 0) continue;
      ++count;
      const auto limit = static_cast<long double>(std::numeric_limits<T>::max());
      if (std::fabs(row.value) > limit ||
          std::fabs(row.value) < static_cast<long double>(std::numeric_limits<T>::min())) {
        continue;
      }
      const T got = c.f(static_cast<T>(row.x), static_cast<T>(row.y), static_cast<T>(row.z));
      double error = test::ulps(got, row.value);
      if (c.amplitude > 0) {
        const double size = std::max(1 / std::sqrt(1 + std::fabs(row.x)),
                                     static_cast<double>(std::fabs(row.value)));
        const double absolute = static_cast<double>(std::fabs(got - row.value));
        error = std::min(error, absolute / size / std::numeric_limits<T>::epsilon());
      }
      worst(error, row.x, row.y);
    }
    const doctest::String name = c.name;
    CHECK_MESSAGE(count > 4, name);
    const double bound = sizeof(T) == 4 ? c.float_ulps : c.double_ulps;
    CHECK_MESSAGE(worst.error <= bound, name, " at ", worst.at, ", ", worst.also, ": ", worst.error,
                  " ulp");
  }
}

TEST_CASE("special functions at the ends of their domains") {
  const double inf = INFINITY;
  CHECK(math::gamma(0.0) == inf);
  CHECK(math::gamma(-0.0) == -inf);
  CHECK(std::isnan(math::gamma(-3.0)));
  CHECK(math::gamma(172.0) == inf);
  CHECK(math::gamma(5.0F) == 24.0F);
  CHECK(math::gamma(-180.5) == doctest::Approx(0));
  CHECK(math::gammainc(2.0, 0.0) == 0);
  CHECK(math::gammaincc(2.0, inf) == 0);
  CHECK(std::isnan(math::gammainc(-1.0, 2.0)));
  CHECK(math::betainc(2.0, 3.0, 1.0) == 1);
  CHECK(std::isnan(math::betainc(2.0, 3.0, 1.5)));
  CHECK(math::erfinv(-1.0) == -inf);
  CHECK(std::isnan(math::erfinv(1.5)));
  CHECK(math::erfinv(0.0) == 0);
  CHECK(math::erfcinv(0.0) == inf);
  CHECK(math::erfcinv(1e-300) == doctest::Approx(26.209469960516).epsilon(1e-12));
  CHECK(math::ndtri(1.0) == inf);
  CHECK(math::ndtr(-inf) == 0);
  CHECK(math::ndtr(50.0) == 1);
  CHECK(math::y0(0.0) == -inf);
  CHECK(std::isnan(math::y1(-1.0)));
  CHECK(math::i0(inf) == inf);
  CHECK(math::i1(-800.0) == -inf);
  CHECK(math::i0(710.0) == doctest::Approx(3.34533455861966e306));
  CHECK(math::k0(0.0) == inf);
  CHECK(std::isnan(math::k1e(-2.0)));
  CHECK(math::zeta(1.0, 2.0) == inf);
  CHECK(std::isnan(math::zeta(0.5, 2.0)));
  CHECK(math::zeta(2.0, -3.0) == inf);
  CHECK(math::sinc(0.0F) == 1);
  CHECK(math::sinc(3.0F) == 0);
  CHECK(math::entr(-1.0) == -inf);
  CHECK(math::rel_entr(0.0, 0.0) == 0);
  CHECK(math::rel_entr(1.0, 0.0) == inf);
  CHECK(math::rel_entr(1e-300, 1e300) == doctest::Approx(-1381.5510557964e-300).epsilon(1e-9));
  CHECK(math::kl_div(0.0, 2.0) == 2);
  CHECK(math::logaddexp(-inf, -inf) == -inf);
  CHECK(math::logaddexp(inf, 1.0) == inf);
  CHECK(math::logsubexp(1.0, 1.0) == -inf);
  CHECK(std::isnan(math::logsubexp(1.0, 2.0)));
  CHECK(math::hypot3(1e300, 1e300, 0.0) == doctest::Approx(1.4142135623731e300));
  CHECK(math::hypot3(inf, std::nan(""), 0.0) == inf);
}

TEST_CASE("parts of numbers") {
  CHECK(math::floor_divide(-7, 2) == -4);
  CHECK(math::floor_divide(7U, 2U) == 3);
  CHECK(math::floor_divide(7, 0) == 0);
  CHECK(math::floor_divide(-7.0, 2.0) == -4);
  CHECK(math::floor_divide(1.0, 0.1) == 9);  // 0.1 is a little more than a tenth
  CHECK(math::floor_divide(1.0, 0.0) == INFINITY);
  CHECK(math::trunc_divide(-7.0, 2.0) == -3);
  CHECK(math::gcd(-12, 18) == 6);
  CHECK(math::gcd(0, 0) == 0);
  CHECK(math::lcm(4, -6) == 12);
  CHECK(math::lcm(0, 5) == 0);
  CHECK(math::signbit(-0.0));
  CHECK_FALSE(math::signbit(3U));
  CHECK(math::heaviside(0.0, 0.5) == 0.5);
  CHECK(math::heaviside(-2, 5) == 0);
  CHECK(math::bit_count(-7) == 3);
  CHECK(math::bit_count(std::uint8_t{255}) == 8);
  CHECK(math::ldexp(1.5F, 3) == 12);
  CHECK(math::ldexp(1.0, 1LL << 40) == INFINITY);
  CHECK(math::frexp_fraction(-12.0) == -0.75);
  CHECK(math::frexp_exponent(-12.0) == 4);
  CHECK(math::frexp_exponent(INFINITY) == 0);
}

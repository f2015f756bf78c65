#include "weft/core/dual.hpp"

#include <type_traits>

#include "test.hpp"

using weft::Dual;

static_assert(sizeof(Dual<float>) == 8 && sizeof(Dual<double>) == 16);
static_assert(weft::Element<Dual<float>> && weft::is_floating<Dual<double>>);
static_assert(weft::dtype_of<Dual<float>> == weft::Dtype::dual64);
static_assert(!std::is_convertible_v<Dual<double>, double>);
static_assert(!std::is_convertible_v<Dual<double>, Dual<float>>);
static_assert((Dual<double>(3, 1) * 2).tangent == 2);
static_assert((1 / Dual<double>(4, 1)).tangent == -0.0625);

TEST_CASE("Dual: arithmetic") {
  const Dual<double> x(3, 2);
  const Dual<double> y(5, -1);
  const auto check = [](Dual<double> z, double value, double tangent) {
    CHECK(z.value == doctest::Approx(value));
    CHECK(z.tangent == doctest::Approx(tangent));
  };
  check(x + y, 8, 1);
  check(x - y, -2, 3);
  check(x * y, 15, 2 * 5 - 3);
  check(x / y, 0.6, (2 * 5 + 3) / 25.0);
  check(-x, -3, -2);
  check(+x, 3, 2);
  check(2 - x, -1, -2);
  check(x * 0.5F, 1.5, 1);
  Dual<double> z = x;
  z += y;
  z *= 2;
  z -= 1;
  z /= 4;
  check(z, 15.0 / 4, 0.5);
  check(Dual<double>(), 0, 0);
  check(Dual<double>(Dual<float>(1.5F, 2.5F)), 1.5, 2.5);
  CHECK(weft::name(weft::Dtype::dual128) == doctest::String("dual128"));
  CHECK(weft::element_size(weft::Dtype::dual128) == 16);
}

TEST_CASE("Dual: the order is that of the values") {
  const Dual<float> x(1, 5);
  const Dual<float> y(2, -5);
  CHECK((x < y && x <= y && y > x && y >= x && x != y));
  CHECK((x == Dual<float>(1, 7) && !(x == y) && x < 2 && 1 == x));
}

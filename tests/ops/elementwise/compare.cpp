// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/compare.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "test.hpp"

using namespace weft;

namespace {
using Bools = std::vector<bool>;
}

TEST_CASE_TEMPLATE("comparisons give bool, for every type with an order", D, TEST_DEVICES) {
  const auto check_type = []<class T>(T) {
    const Tensor<T, D> x = tensor<T>({1, 2, 3}, D{});
    const Tensor<T, D> y = tensor<T>({3, 2, 1}, D{});
    static_assert(std::is_same_v<typename decltype(x == y)::value_type, bool>);
    CHECK(eval(x == y).to_vector() == Bools{false, true, false});
    CHECK(eval(x != y).to_vector() == Bools{true, false, true});
    CHECK(eval(x < y).to_vector() == Bools{true, false, false});
    CHECK(eval(x <= y).to_vector() == Bools{true, true, false});
    CHECK(eval(x > y).to_vector() == Bools{false, false, true});
    CHECK(eval(x >= 2).to_vector() == Bools{false, true, true});
    CHECK(eval(2 > x).to_vector() == Bools{true, false, false});
  };
  check_type(float{});
  check_type(weft::half{});
  check_type(std::uint8_t{});
  check_type(std::int64_t{});
}

TEST_CASE_TEMPLATE("NaN is unequal to everything and in no order", D, TEST_DEVICES) {
  const Tensor<float, D> x = tensor({NAN, 1.0F}, D{});
  CHECK(eval(x == x).to_vector() == Bools{false, true});
  CHECK(eval(x != x).to_vector() == Bools{true, false});
  CHECK(eval(x < 2).to_vector() == Bools{false, true});
  CHECK(eval(x >= NAN).to_vector() == Bools{false, false});
}

TEST_CASE_TEMPLATE("unsigned numbers, bool and complex numbers", D, TEST_DEVICES) {
  const Tensor<std::uint64_t, D> u = tensor({std::uint64_t{0}, ~std::uint64_t{0}}, D{});
  CHECK(eval(u > std::uint64_t{1}).to_vector() == Bools{false, true});
  const Tensor<bool, D> b = tensor({false, true}, D{});
  CHECK(eval(b == true).to_vector() == Bools{false, true});
  CHECK(eval(b < true).to_vector() == Bools{true, false});
  const Tensor<complex<double>, D> z = tensor({complex<double>(1, 2), complex<double>(1)}, D{});
  CHECK(eval(z == 1.0).to_vector() == Bools{false, true});
}

TEST_CASE_TEMPLATE("logic of bool", D, TEST_DEVICES) {
  const Tensor<bool, D> a = tensor({true, true, false, false}, D{});
  const Tensor<bool, D> b = tensor({true, false, true, false}, D{});
  CHECK(eval(a && b).to_vector() == Bools{true, false, false, false});
  CHECK(eval(a || b).to_vector() == Bools{true, true, true, false});
  CHECK(eval(logical_xor(a, b)).to_vector() == Bools{false, true, true, false});
  CHECK(eval(!a).to_vector() == Bools{false, false, true, true});
  CHECK(eval(logical_not(a) && true).to_vector() == Bools{false, false, true, true});
}

TEST_CASE_TEMPLATE("isnan, isinf and isfinite", D, TEST_DEVICES) {
  const auto check_type = []<class T>(T) {
    const Tensor<T, D> x = tensor<T>({NAN, INFINITY, -INFINITY, 0.0F, -1.5F}, D{});
    CHECK(eval(isnan(x)).to_vector() == Bools{true, false, false, false, false});
    CHECK(eval(isinf(x)).to_vector() == Bools{false, true, true, false, false});
    CHECK(eval(isfinite(x)).to_vector() == Bools{false, false, false, true, true});
  };
  check_type(float{});
  check_type(double{});
  check_type(weft::half{});
  check_type(bfloat16{});
  const Tensor<int, D> i = tensor({1, 2}, D{});
  CHECK(eval(isfinite(i)).to_vector() == Bools{true, true});
  using C = complex<float>;
  const Tensor<C, D> z = tensor({C(NAN, 1), C(1, INFINITY), C(1, 2)}, D{});
  CHECK(eval(isnan(z)).to_vector() == Bools{true, false, false});
  CHECK(eval(isfinite(z)).to_vector() == Bools{false, false, true});
}

TEST_CASE("none of them has a derivative") {
  static_assert(
      std::is_same_v<decltype(op::lt::derivative<0>(1.0, 2.0, true)), op::NotDifferentiable>);
  static_assert(
      std::is_same_v<decltype(op::isnan::derivative<0>(1.0, true)), op::NotDifferentiable>);
}

TEST_CASE_TEMPLATE("integers beside a number that they do not hold", D, TEST_DEVICES) {
  const auto bytes = weft::tensor<std::uint8_t>({0, 44, 255}, D{});
  const Bools none(3, false);
  const Bools all(3, true);
  for (int n : {300, -1, 70000}) {
    const bool above = n > 0;
    CHECK((bytes == n).to_vector() == none);
    CHECK((bytes != n).to_vector() == all);
    CHECK((bytes < n).to_vector() == (above ? all : none));
    CHECK((bytes >= n).to_vector() == (above ? none : all));
    CHECK((n < bytes).to_vector() == (above ? none : all));
    CHECK((n >= bytes).to_vector() == (above ? all : none));
  }
  CHECK((bytes == 44).to_vector() == Bools{false, true, false});
  CHECK((44 <= bytes).to_vector() == Bools{false, true, true});
  CHECK((weft::tensor<std::int64_t>({-1, 1}, D{}) < UINT64_MAX).to_vector() == Bools{true, true});
  CHECK(any(weft::tensor({1, 2}, D{}) == (1LL << 40)).item() == false);
}

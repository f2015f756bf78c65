// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/elementwise/more.hpp>
#include <weft/ops/elementwise/parts.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"

using namespace weft;
using Floats = std::vector<float>;
using Bools = std::vector<bool>;

namespace {
template <class E>
auto values(const E& e) {
  return e.eval().to_vector();
}
}  // namespace

TEST_CASE_TEMPLATE("divisions", D, TEST_DEVICES) {
  const auto x = tensor({-7.0F, 7.0F, 5.5F, -1.0F}, D{});
  CHECK(values(floor_divide(x, 2.0F)) == Floats{-4, 3, 2, -1});
  CHECK(values(div<Rounding::floor>(x, 2.0F)) == Floats{-4, 3, 2, -1});
  CHECK(values(div<Rounding::trunc>(x, 2.0F)) == Floats{-3, 3, 2, 0});
  const auto [q, r] = divmod(x, 2.0F);
  CHECK(values(q * 2.0F + r) == x.to_vector());
  CHECK(values(r) == Floats{1, 1, 1.5F, 1});
  const auto k = tensor({-7, 12, 0, 9}, D{});
  CHECK(values(floor_divide(k, 2)) == std::vector<int>{-4, 6, 0, 4});
  CHECK(values(gcd(k, 6)) == std::vector<int>{1, 6, 6, 3});
  CHECK(values(lcm(k, 6)) == std::vector<int>{42, 12, 0, 18});
  CHECK(values(bitwise_count(k)) == std::vector<std::uint8_t>{3, 2, 0, 2});
}

TEST_CASE_TEMPLATE("signs, angles and neighbours", D, TEST_DEVICES) {
  const auto x = tensor({-INFINITY, -0.0F, 0.0F, 2.0F, INFINITY, NAN}, D{});
  CHECK(signbit(x.narrow(0, 0, 5)).eval().to_vector() == Bools{true, true, false, false, false});
  CHECK(isposinf(x).eval().to_vector() == Bools{false, false, false, false, true, false});
  CHECK(isneginf(x).eval().to_vector() == Bools{true, false, false, false, false, false});
  CHECK(values(heaviside(x.narrow(0, 0, 5), 0.5F)) == Floats{0, 0.5F, 0.5F, 1, 1});
  CHECK(values(nan_to_num(x)) == Floats{-3.40282347e38F, -0.0F, 0, 2, 3.40282347e38F, 0});
  CHECK(values(nan_to_num(x, 1, 8, -9)) == Floats{-9, -0.0F, 0, 2, 8, 1});
  CHECK(values(nan_to_num(cast<weft::half>(x)))[4] == weft::half(65504.0F));
  CHECK(allclose(deg2rad(tensor({180.0F, 90.0F}, D{})), tensor({3.1415927F, 1.5707964F}, D{})));
  CHECK(allclose(rad2deg(tensor({3.1415927F}, D{})), tensor({180.0F}, D{})));
  CHECK(values(nextafter(tensor({1.0F, 0.0F}, D{}), 2.0F)) == Floats{1.00000012F, 1.4e-45F});
}

TEST_CASE_TEMPLATE("exponents, places and sums of exponentials", D, TEST_DEVICES) {
  const auto x = tensor({12.0F, -0.375F, 0.0F}, D{});
  const auto [fraction, exponent] = frexp(x);
  CHECK(values(fraction) == Floats{0.75F, -0.75F, 0});
  CHECK(values(exponent) == std::vector<int>{4, -1, 0});
  CHECK(values(ldexp(fraction, exponent)) == x.to_vector());
  CHECK(values(ldexp(x, 2)) == Floats{48, -1.5F, 0});
  const auto [rest, whole] = modf(tensor({2.5F, -2.5F}, D{}));
  CHECK(values(rest) == Floats{0.5F, -0.5F});
  CHECK(values(whole) == Floats{2, -2});
  const auto ends = tensor({INFINITY, -INFINITY, -3.0F}, D{});
  const Tensor<float, D> dropped = modf(ends).first;
  CHECK(dropped.to_vector() == Floats{0, 0, 0});
  CHECK(values(signbit(dropped)) == std::vector<bool>{false, true, true});
  CHECK(values(modf(ends).second) == Floats{INFINITY, -INFINITY, -3});
  CHECK(std::isnan(values(modf(ends - ends).first)[0]));
  const auto y = tensor({1.2345F, -27.5F, 3e38F}, D{});
  CHECK(values(round(y, 2)) == Floats{1.23F, -27.5F, 3e38F});
  CHECK(values(round(y.narrow(0, 0, 2), -1)) == Floats{0, -30});
  CHECK(values(addcdiv(x, x, 2.0F, 0.5)) == Floats{15, -0.46875F, 0});
  const auto big = tensor({1000.0F, -INFINITY}, D{});
  CHECK(allclose(logaddexp(big, big), tensor({1000.6931F, -INFINITY}, D{})));
  CHECK(allclose(logaddexp2(big, big), tensor({1001.0F, -INFINITY}, D{})));
  CHECK(allclose(logsubexp(big + 1.0F, big).eval()(0), tensor({1000.5413F}, D{})(0)));
}

TEST_CASE_TEMPLATE("clip is clamp", D, TEST_DEVICES) {
  const auto x = tensor({-2.0F, 0.5F, 3.0F}, D{});
  CHECK(values(clip(x, -1, 1)) == Floats{-1, 0.5F, 1});
}

TEST_CASE_TEMPLATE("complex numbers as pairs", D, TEST_DEVICES) {
  const auto z = polar(tensor({2.0F, 1.0F}, D{}), tensor({0.0F, 1.5707964F}, D{})).eval();
  const auto pairs = view_as_real(z);
  CHECK(pairs.shape() == Shape{2, 2});
  CHECK(allclose(pairs, tensor({{2.0F, 0.0F}, {0.0F, 1.0F}}, D{}), {.atol = 1e-6}));
  pairs(0, 1).fill(5.0F);
  CHECK(z.to_vector()[0] == complex<float>(2.0F, 5.0F));
  CHECK(view_as_complex(pairs).to_vector() == z.to_vector());
  CHECK(as_complex(pairs(all, 0), pairs(all, 1)).eval().to_vector() == z.to_vector());
  CHECK(view_as_real(z * 2.0F).shape() == Shape{2, 2});
  CHECK_SAYS("expected a last axis of 2 parts side by side", view_as_complex(pairs.t()));
}

TEST_CASE("derivatives of what has one") {
  const double x = 1.3;
  const double y = 0.4;
  const double h = 1e-6;
  const auto check = [&](auto op, double expected_x, double expected_y) {
    const double z = op.value(x, y);
    CHECK(op.template derivative<0>(x, y, z) == doctest::Approx(expected_x).epsilon(1e-5));
    CHECK(op.template derivative<1>(x, y, z) == doctest::Approx(expected_y).epsilon(1e-5));
  };
  const auto slopes = [&](auto op) {
    check(op, (op.value(x + h, y) - op.value(x - h, y)) / (2 * h),
          (op.value(x, y + h) - op.value(x, y - h)) / (2 * h));
  };
  slopes(op::logaddexp{});
  slopes(op::logaddexp2{});
  slopes(op::logsubexp{});
  slopes(op::heaviside{});
  const op::addcdiv divided{2.0};
  CHECK(divided.derivative<1>(1.0, 2.0, 4.0, 2.0) == 0.5);
  CHECK(divided.derivative<2>(1.0, 2.0, 4.0, 2.0) == -0.25);
  CHECK(op::ldexp{}.derivative<0>(3.0, 2, 12.0) == 4);
  CHECK(op::frexp_fraction{}.derivative<0>(6.0, 0.75) == 0.125);
  CHECK(op::frexp_fraction{}.derivative<0>(0.0, 0.0) == 1);
}

TEST_CASE_TEMPLATE("quotients with a rounding, and in double", D, TEST_DEVICES) {
  const auto x = tensor({-7, 7, -8}, D{});
  CHECK(div(x, 2, Rounding::floor).eval().to_vector() == std::vector<int>{-4, 3, -4});
  CHECK(div(x, 2, Rounding::trunc).eval().to_vector() == std::vector<int>{-3, 3, -4});
  CHECK(equal(div(cast<float>(x), 2.0F, Rounding::floor), floor_divide(cast<float>(x), 2.0F)));
  CHECK(equal(div(1, x, Rounding::trunc), zeros<int>({3}, D{})));
  CHECK(true_divide(x, 2).eval().to_vector() == std::vector<double>{-3.5, 3.5, -4});
  CHECK(true_divide(x, x).dtype() == Dtype::float64);
  CHECK(true_divide(cast<float>(x), 2).dtype() == Dtype::float32);
  CHECK(allclose(float_power(x, -1), tensor({-1.0 / 7, 1.0 / 7, -0.125}, D{}), {1e-15, 0}));
  CHECK(float_power(2, abs(x)).eval().to_vector() == std::vector<double>{128, 128, 256});
  CHECK(float_power(tensor({2.0F}, D{}), tensor({3}, D{})).item() == 8);
  const auto i = tensor({complex<float>(0, 1)}, D{});
  CHECK(allclose(float_power(i, 2), tensor({complex<double>(-1, 0)}, D{})));
  CHECK(allclose(radians(tensor({180.0F}, D{})), tensor({3.1415927F}, D{})));
  CHECK(allclose(degrees(tensor({3.1415927F}, D{})), tensor({180.0F}, D{})));
}

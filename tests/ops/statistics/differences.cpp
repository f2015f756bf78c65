// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/differences.hpp>

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Doubles = std::vector<double>;

namespace {
template <class E>
bool is(const E& e, const Doubles& expected) {
  const auto x = e.eval();
  return allclose(x.to(Cpu{}), tensor(expected, x.shape()), {1e-12, 1e-12, true});
}
}  // namespace

TEST_CASE_TEMPLATE("differences and derivatives", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 4, 9, 16}, {0, 1, 0, 2}}).to(D{});
  CHECK(is(diff(x), {3, 5, 7, 1, -1, 2}));
  CHECK(is(diff(x, 2), {2, 2, -2, 3}));
  CHECK(is(diff(x, 1, axis(0)), {-1, -3, -9, -14}));
  CHECK(diff(x, 5).shape() == Shape{2, 0});
  CHECK(is(gradient(x), {3, 4, 6, 7, 1, 0, 0.5, 2}));
  CHECK(is(gradient(x, 2, axis(0)), {-0.5, -1.5, -4.5, -7, -0.5, -1.5, -4.5, -7}));
  const auto places = tensor<double>({0, 1, 3, 6}).to(D{});
  CHECK(is(gradient(tensor<int>({1, 4, 9, 17}, D{}), 0.5), {6, 8, 13, 16}));
  CHECK(is(gradient(x(0), places), {3, 17.0 / 6, 73.0 / 30, 7.0 / 3}));
  CHECK(is(gradient(x, places).narrow(0, 0, 1), gradient(x(0), places).to_vector()));
  CHECK_SAYS("[gradient] 1 elements along the axis, expected at least 2",
             gradient(ones<double>({1}, D{})));
  const Var v = parameter(x);
  CHECK(gradcheck([](const auto& p) { return diff(p, 2); }, v));
  CHECK(gradcheck([&](const auto& p) { return gradient(p, places); }, v));
}

TEST_CASE_TEMPLATE("integrals and exclusive scans", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 4, 9, 16}, {0, 1, 0, 2}}).to(D{});
  const auto places = tensor<double>({0, 1, 3, 6}).to(D{});
  CHECK(is(trapezoid(x), {21.5, 2}));
  CHECK(is(trapezoid(x, 2, axis(0)), {1, 5, 9, 18}));
  CHECK(is(trapezoid(x, places), {53, 4.5}));
  CHECK(is(cumulative_trapezoid(x), {2.5, 9, 21.5, 0.5, 1, 2}));
  CHECK(is(cumulative_trapezoid(x, places), {2.5, 15.5, 53, 0.5, 1.5, 4.5}));
  CHECK(is(exclusive_cumsum(x), {0, 1, 5, 14, 0, 0, 1, 1}));
  CHECK(is(exclusive_cumprod(x, axis(0)), {1, 1, 1, 1, 1, 4, 9, 16}));
  CHECK(exclusive_cumsum(tensor({1, 2, 3}).to(D{})).to_vector() ==
        std::vector<std::int64_t>{0, 1, 3});
  const Var v = parameter(x);
  CHECK(gradcheck([&](const auto& p) { return Var(trapezoid(p * p, places)); }, v));
  CHECK(gradcheck([](const auto& p) { return Var(exclusive_cumsum(p, axis(1))); }, v));
}

TEST_CASE_TEMPLATE("angles without jumps, and lines through points", D, TEST_DEVICES) {
  const auto angles = tensor<double>({0, 1.6, 3.1, -1.7, -0.1, 0.2, 6.0}).to(D{});
  const double turn = 6.283185307179586477;
  CHECK(is(unwrap(angles), {0, 1.6, 3.1, -1.7 + turn, -0.1 + turn, 0.2 + turn, 6.0}));
  CHECK(is(unwrap(tensor<double>({0, 3, 5, 1}).to(D{}), axis(0), 4), {0, -1, 1, 1}));
  const auto xp = tensor<double>({1, 2, 4}).to(D{});
  const auto fp = tensor<double>({10, 20, 0}).to(D{});
  const auto x = tensor<double>({0, 1, 1.5, 2, 3, 4, 9}).to(D{});
  CHECK(is(interp(x, xp, fp), {10, 10, 15, 20, 10, 0, 0}));
  CHECK(is(interp(x, xp.narrow(0, 0, 1), fp.narrow(0, 1, 1)), Doubles(7, 20.0)));
  CHECK_SAYS("[interp] points of shapes (3,) and (2,)", interp(x, xp, fp.narrow(0, 0, 2)));
  CHECK(interp(3, xp, fp).item() == 10);
  const auto y = tensor<double>({{0, 1}, {4, 9}}).to(D{});
  CHECK(is(diff(y, axis(0)), {4, 8}));
  CHECK(is(gradient(y, axis(0)), {4, 8, 4, 8}));
  CHECK(is(trapezoid(y, axis(0)), {2, 5}));
  CHECK(is(cumulative_trapezoid(y, axis(0)), {2, 5}));
  const Var at = parameter(tensor<double>({1.3, 2.5, 3.9}).to(D{}));
  const Var values = parameter(fp);
  CHECK(gradcheck([&](const auto& p, const auto& f) { return interp(p, xp, f); }, at, values));
  CHECK(gradcheck([](const auto& p) { return unwrap(p); }, parameter(angles)));
}

TEST_CASE_TEMPLATE("differences of all elements", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 4}, {9, 16}}).to(D{});
  CHECK(is(ediff1d(x), {3, 5, 7}));
  CHECK(is(ediff1d(x(0, 0)), {}));
  CHECK(gradcheck([](const auto& v) { return ediff1d(v * v); }, parameter(x)));
}

TEST_CASE_TEMPLATE("along an axis without elements", D, TEST_DEVICES) {
  const auto x = zeros<double>({2, 0}, D{});
  CHECK(is(trapezoid(x), {0, 0}));
  CHECK(is(trapezoid(x, zeros<double>({0}, D{})), {0, 0}));
  CHECK(cumulative_trapezoid(x).shape() == Shape{2, 0});
  CHECK(exclusive_cumsum(x).shape() == Shape{2, 0});
  CHECK(exclusive_cumprod(x, axis(0)).shape() == Shape{2, 0});
  CHECK(unwrap(x).shape() == Shape{2, 0});
  CHECK_SAYS("[trapezoid] shape (), expected an axis", trapezoid(full<double>({}, 1, D{})));
  CHECK_SAYS("[diff] shape (), expected an axis", diff(full<double>({}, 1, D{})));
}

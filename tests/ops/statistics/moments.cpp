// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/moments.hpp>
#include <weft/ops/statistics/nan.hpp>

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Doubles = std::vector<double>;

namespace {
const double hole = std::nan("");

template <class E>
bool is(const E& e, const Doubles& expected) {
  const auto x = e.eval();
  return allclose(x.to(Cpu{}), tensor(expected, x.shape()), {1e-12, 1e-12, true});
}
}  // namespace

TEST_CASE_TEMPLATE("pairs of reductions, and ptp", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 2, 6}, {-4, 0, 1}}).to(D{});
  const auto [v, m] = var_mean(x, axis(1), correction(0));
  CHECK(is(v, {14.0 / 3, 14.0 / 3}));
  CHECK(is(m, {3, -1}));
  const auto [s, middle] = std_mean(x, axis(1), keepdims);
  CHECK(is(s * s, {7, 7}));
  CHECK(middle.shape() == Shape{2, 1});
  const auto [low, high] = aminmax(x, axis(0));
  CHECK(is(low, {-4, 0, 1}));
  CHECK(is(high, {1, 2, 6}));
  CHECK(is(ptp(x, axis(1)), {5, 5}));
  CHECK(is(ptp(x), {10}));
}

TEST_CASE_TEMPLATE("weighted means, covariances and correlations", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 2, 6}, {-4, 0, 1}}).to(D{});
  const auto w = tensor<double>({1, 1, 2}).to(D{});
  CHECK(is(average(x, w, axis(1)), {3.75, -0.5}));
  CHECK(is(average(x, w), {1.625}));
  CHECK(is(cov(x), {7, 5.5, 5.5, 7}));
  CHECK(is(cov(x, correction(0)), {14.0 / 3, 11.0 / 3, 11.0 / 3, 14.0 / 3}));
  CHECK(is(cov(x(0)), {7}));
  CHECK(cov(x(0)).rank() == 0);
  CHECK(cov(x(slice(0, 1))).shape() == Shape{});
  CHECK(corrcoef(x(slice(0, 1))).item() == 1);
  CHECK(std::isnan(cov(full<double>({}, 3, D{})).item()));
  CHECK(std::isnan(cov(x(all, slice(0, 1)), correction(2))(0, 1).item()));  // 0 / 0, as in NumPy
  CHECK(is(corrcoef(x), {1, 5.5 / 7, 5.5 / 7, 1}));
  CHECK_SAYS("[cov] shape (1, 1, 2)", cov(ones<double>({1, 1, 2}, D{})));
  const Var v = parameter(x);
  CHECK(gradcheck([](const auto& p) { return Var(cov(p)); }, v));
  CHECK(gradcheck([&](const auto& p) { return Var(average(p * p, w, axis(1))); }, v));
}

TEST_CASE_TEMPLATE("weights along an axis, and two variables", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, 2}, {5, 4}}).to(D{});
  const auto weights = tensor<double>({1, 3}).to(D{});
  CHECK(is(average(x, weights, axis(0)), {4, 3.5}));
  CHECK(is(average(x, weights, axis(1)), {1.75, 4.25}));
  CHECK(is(average(x, axis(0)), {3, 3}));
  CHECK(is(average(x), {3}));
  CHECK(is(cov(x(0), x(1)), {0.5, -0.5, -0.5, 0.5}));
  CHECK(is(cov(x(0), x(1), correction(0)), {0.25, -0.25, -0.25, 0.25}));
  CHECK(is(corrcoef(x(0), x(1)), {1, -1, -1, 1}));
}

TEST_CASE_TEMPLATE("reductions that leave NaN out", D, TEST_DEVICES) {
  const auto x = tensor<double>({{1, hole, 5}, {hole, hole, hole}, {-2, 2, 0}}).to(D{});
  CHECK(is(nansum(x, axis(1)), {6, 0, 0}));
  CHECK(is(nanprod(x, axis(1)), {5, 1, 0}));
  CHECK(is(nanmean(x, axis(1)), {3, hole, 0}));
  CHECK(is(nanmax(x, axis(1)), {5, hole, 2}));
  CHECK(is(nanmin(x, axis(1)), {1, hole, -2}));
  CHECK(nanmax(x).item() == 5);
  CHECK(is(nanvar(x, axis(1)), {8, hole, 4}));
  CHECK(is(nanvar(x, axis(1), correction(0), keepdims), {4, hole, 8.0 / 3}));
  CHECK(is(nanstd(x), {std::sqrt(6.7)}));
  CHECK(nanargmax(x, axis(1)).eval().to_vector() == std::vector<std::int64_t>{2, 0, 1});
  CHECK(nanargmin(x, axis(1)).eval().to_vector() == std::vector<std::int64_t>{0, 0, 0});
  CHECK(is(nancumsum(x, axis(0)), {1, 0, 5, 1, 0, 5, -1, 2, 5}));
  CHECK(is(nancumprod(x, axis(1)), {1, 1, 5, 1, 1, 1, -2, -4, 0}));
  const Var v = parameter(x);
  Var(sum(nanmean(v(slice(0, 3, 2)), axis(1)))).backward();
  CHECK(is(v.grad(), {0.5, 0, 0.5, 0, 0, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3}));
}

TEST_CASE_TEMPLATE("the gradient of a variance without NaN", D, TEST_DEVICES) {
  const Var x = parameter(tensor<double>({math::nan<double>, 1, 3}).to(D{}));
  sum(nanvar(x, correction(0))).backward();
  CHECK(x.grad().to_vector() == std::vector<double>{0, -1, 1});
}

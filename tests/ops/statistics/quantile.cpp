// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/quantile.hpp>

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Doubles = std::vector<double>;
using At = std::vector<std::int64_t>;

namespace {
const double hole = std::nan("");

template <class E>
bool is(const E& x, const Doubles& expected) {
  return allclose(x.to(Cpu{}), tensor(expected, x.shape()), {1e-12, 1e-12, true});
}
}  // namespace

TEST_CASE_TEMPLATE("quantiles", D, TEST_DEVICES) {
  const auto x = tensor<double>({{3, 1, 2, 10}, {7, -INFINITY, 5, 6}}).to(D{});
  const auto rows = tensor<double>({{3, 1, 2, 10}, {7, 5, 5.5, 6}}).to(D{});
  CHECK(is(quantile(rows, 0.3, axis(1)), {1.9, 5.45}));
  CHECK(is(quantile(rows, 0.3, axis(1), Quantile::lower), {1, 5}));
  CHECK(is(quantile(rows, 0.3, axis(1), Quantile::higher), {2, 5.5}));
  CHECK(is(quantile(rows, 0.3, axis(1), Quantile::midpoint), {1.5, 5.25}));
  CHECK(is(quantile(rows, 0.3, axis(1), Quantile::nearest), {2, 5.5}));
  CHECK(is(quantile(rows, 0.5), {5.25}));
  CHECK(percentile(rows, 100, keepdims).shape() == Shape{1, 1});
  const auto several = quantile(rows, std::vector<double>{0, 0.5, 1}, axis(0));
  CHECK(several.shape() == Shape{3, 4});
  CHECK(is(several, {3, 1, 2, 6, 5, 3, 3.75, 8, 7, 5, 5.5, 10}));
  CHECK(is(quantile(x, 0.0, axis(1)), {1, -INFINITY}));
  const auto holes = tensor<double>({{3, hole, 1}, {hole, hole, hole}, {4, 5, 6}}).to(D{});
  CHECK(is(quantile(holes, 0.5, axis(1)), {hole, hole, 5}));
  CHECK(is(nanquantile(holes, 0.25, axis(1)), {1.5, hole, 4.5}));
  CHECK(is(nanquantile(holes, 0.25, axis(1), Quantile::higher, keepdims), {3, hole, 5}));
  CHECK(is(nanquantile(holes, 0.5), {4}));
  CHECK_SAYS("[quantile] q = 1.5, expected 0 to 1", quantile(x, 1.5));
  CHECK_SAYS("no elements in shape (0,)", quantile(zeros<double>({0}, D{}), 0.5));
  const Var v = parameter(test::numbers<D>({3, 4}));
  CHECK(gradcheck([](const auto& p) { return quantile(p, 0.4, axis(1)); }, v));
}

TEST_CASE_TEMPLATE("probabilities in a tensor", D, TEST_DEVICES) {
  const auto x = tensor<double>({{0, 4}, {8, 2}}).to(D{});
  const auto some = quantile(x, tensor<float>({0.25F, 0.5F}).to(D{}), axis(1));
  CHECK(some.shape() == Shape{2, 2});
  CHECK(some.to_vector() == std::vector<double>{1, 3.5, 2, 5});
  CHECK(quantile(x, full(Shape{}, 0.5, D{})).shape() == Shape{});
  CHECK_SAYS("[quantile] probabilities of shape (2, 2), expected a vector", quantile(x, x));
}

TEST_CASE_TEMPLATE("medians, k-th values and modes", D, TEST_DEVICES) {
  const auto x = tensor<double>({{3, 1, 2, 10}, {7, hole, 5, 6}}).to(D{});
  const auto [values, places] = median(x, axis(1));
  CHECK(is(values, {2, hole}));
  CHECK(places.to_vector() == At{2, 1});
  CHECK(is(nanmedian(x, axis(1), keepdims).values, {2, 6}));
  CHECK(std::isnan(median(x).item()));
  CHECK(nanmedian(x).item() == 5);
  const auto k = tensor({{4, 2, 2, 4, 9}, {1, 2, 3, 4, 5}}).to(D{});
  CHECK(median(k).item() == 3);
  const auto third = kthvalue(k, 3);
  CHECK(third.values.to_vector() == std::vector<int>{4, 3});
  CHECK(third.indices.to_vector() == At{0, 2});
  CHECK(kthvalue(k, 2, axis(0)).values.to_vector() == std::vector<int>{4, 2, 3, 4, 9});
  CHECK_SAYS("[kthvalue] k = 6, expected 1 to 5", kthvalue(k, 6));
  CHECK(kthvalue(k.narrow(0, 0, 0), 2).values.shape() == Shape{0});
  const auto most = mode(k);
  CHECK(most.values.to_vector() == std::vector<int>{2, 1});
  CHECK(most.indices.to_vector() == At{2, 0});
  const Var v = parameter(test::numbers<D>({3, 5}));
  CHECK(gradcheck([](const auto& p) { return median(p, axis(0)).values; }, v));
  CHECK(gradcheck([](const auto& p) { return kthvalue(p, 2).values; }, v));
  CHECK(gradcheck([](const auto& p) { return median(p); }, v));
}

TEST_CASE_TEMPLATE("medians and k-th values are those of sorted rows", D, TEST_DEVICES) {
  for (const std::int64_t n : {1, 2, 33, 300, 3000}) {
    CAPTURE(n);
    auto x = cast<float>(weft::arange<std::int32_t>(5 * n) * 7919 % 101).eval().reshape({5, n});
    x(3, n / 2) = static_cast<float>(hole);
    x(3, n - 1) = static_cast<float>(hole);
    const auto sorted = sort(x, axis(1));
    const auto on_device = x.to(D{});
    for (const std::int64_t k : {std::int64_t{1}, (n + 1) / 2, n}) {
      CAPTURE(k);
      const auto found = kthvalue(on_device, k, axis(1));
      CHECK(found.indices.to_vector() == sorted.indices(weft::all, k - 1).to_vector());
    }
    const auto middle = median(on_device, axis(1)).indices.to_vector();
    for (std::size_t row = 0; row < 5; ++row) {
      const auto in_order = sorted.indices(static_cast<std::int64_t>(row), (n - 1) / 2).item();
      CHECK(middle[row] == (row == 3 ? n / 2 : in_order));  // the first that is no number
    }
  }
}

TEST_CASE_TEMPLATE("percentiles of numbers alone", D, TEST_DEVICES) {
  const auto x = tensor<double>({math::nan<double>, 1, 3}).to(D{});
  CHECK(nanpercentile(x, 25).item() == 1.5);
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/statistics/counting.hpp>

#include <cmath>

#include "test.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using Counts = std::vector<std::int64_t>;

TEST_CASE_TEMPLATE("weighted counts and histograms with edges", D, TEST_DEVICES) {
  const auto x = tensor({1, 0, 3, 1}).to(D{});
  const auto w = tensor({0.5F, 2.0F, 1.0F, 0.25F}).to(D{});
  CHECK(bincount(x, w).to_vector() == std::vector<float>{2, 0.75F, 0, 1});
  CHECK(bincount(x, w, 6).size() == 6);
  CHECK_SAYS("[bincount] weights of shape (2,) for (4,)", bincount(x, w.narrow(0, 0, 2)));
  const auto values = tensor({-1.0F, 0.0F, 0.5F, 1.0F, 2.5F, 4.0F, 5.0F, NAN}).to(D{});
  const auto edges = tensor({0.0F, 1.0F, 2.0F, 4.0F}).to(D{});
  CHECK(histogram(values, edges).to_vector() == Counts{2, 1, 2});
  CHECK_SAYS("expected a vector of 2 or more", histogram(values, edges.narrow(0, 0, 1)));
}

TEST_CASE_TEMPLATE("what has no bins", D, TEST_DEVICES) {
  const auto x = tensor({1.0F, NAN, 3.0F}).to(D{});
  CHECK_SAYS("[histogram] elements from nan to nan, expected finite ones", histogram(x, 5));
  CHECK_SAYS("[histogram] elements from 1 to inf, expected finite ones",
             histogram(tensor({1.0F, INFINITY}).to(D{}), 5));
}
TEST_CASE("edges out of order") {
  const auto x = tensor({1.0F, 2.0F});
  CHECK_SAYS("[histogram] edge 1 beside 3, expected edges in order",
             histogram(x, tensor({3.0F, 1.0F})));
  CHECK_SAYS("[histogramdd] edge nan beside 0",
             histogramdd(x.unsqueeze(1), std::vector{tensor({0.0F, NAN})}));
}

TEST_CASE_TEMPLATE("histograms of several dimensions", D, TEST_DEVICES) {
  const auto x = tensor({0.0F, 1.0F, 1.0F, 2.0F, 9.0F}).to(D{});
  const auto y = tensor({0.0F, 3.0F, 2.0F, 2.0F, 0.0F}).to(D{});
  const auto edges_x = tensor({0.0F, 1.0F, 2.0F}).to(D{});
  const auto edges_y = tensor({0.0F, 2.0F, 3.0F, 4.0F}).to(D{});
  const auto found = histogram2d(x, y, edges_x, edges_y);
  CHECK(found.counts.shape() == Shape{2, 3});
  CHECK(found.counts.to_vector() == Counts{1, 0, 0, 0, 2, 1});
  CHECK(found.edges[1].to_vector() == edges_y.to_vector());
  const auto even = histogram2d(x, y, 3, 2);
  CHECK(even.counts.to_vector() == Counts{1, 3, 0, 0, 1, 0});
  CHECK(even.edges[0].to_vector() == std::vector<float>{0, 3, 6, 9});
  CHECK_SAYS("expected (samples, dimensions)", histogramdd(x, Shape{2}));
}

TEST_CASE_TEMPLATE("histograms between the extrema, and of weights", D, TEST_DEVICES) {
  const auto x = tensor<double>({{0, 1, 2}, {3, 8, 8}}).to(D{});
  CHECK(histogram(x, 4).to_vector() == Counts{2, 2, 0, 2});
  CHECK(histogram(x, tensor<double>({0, 2, 8}).to(D{}), x + 0.5).to_vector() ==
        std::vector<double>{2, 23});
  CHECK_SAYS("[histogram] 0 bins, expected at least 1", histogram(x, 0));
  CHECK_SAYS("[bincount] weights of shape (2,)", histogram(x, x(0), x(0, slice(0, 2))));
}

TEST_CASE_TEMPLATE("bits", D, TEST_DEVICES) {
  const auto bits = tensor({{true, false, true, false, false, false, false, true, true, false},
                            {false, true, false, false, false, false, false, false, false, true}})
                        .to(D{});
  const auto bytes = packbits(bits);
  CHECK(bytes.shape() == Shape{2, 2});
  CHECK(bytes.to_vector() == std::vector<std::uint8_t>{161, 128, 64, 64});
  const auto back = unpackbits(bytes, 10);
  CHECK(back.shape() == Shape{2, 10});
  CHECK(equal(back != std::uint8_t{0}, bits));
  CHECK(unpackbits(bytes).shape() == Shape{2, 16});
  CHECK_SAYS("[unpackbits] count 17, expected at most 16", unpackbits(bytes, 17));
}

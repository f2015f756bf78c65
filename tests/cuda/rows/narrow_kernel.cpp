// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/narrow_kernel.hpp"

#include <algorithm>

#include "rows.hpp"
#include "weft/cuda/reduce.hpp"

using test::apart;
using test::array;
using test::by_rows;
using test::noise;
using test::Row;
using weft::axis;
using weft::Cuda;
using weft::keepdims;
using weft::Shape;

TEST_CASE_TEMPLATE("short rows of every length [gpu] [sanitize]", T, weft::half, float, double) {
  const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
  for (const std::int64_t n : {1, 2, 3, 5, 7, 8, 9, 17, 31, 33, 64, 100, 127, 255, 256, 257}) {
    CAPTURE(n);
    const auto x = noise<T>({37, n}).on(Cuda{});
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < tolerance);
    const auto part = noise<T>({37, n + 1}).on(Cuda{}).narrow(1, 1, n);
    CHECK(apart(softmax(part), by_rows(array(part), 2, test::softmax)) < tolerance);
  }
}

TEST_CASE("short columns, and rows of several operands [gpu] [sanitize]") {
  for (const std::int64_t n : {1, 2, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33}) {
    CAPTURE(n);
    const auto x = noise<float>({n, 1001}).on(Cuda{});
    CHECK(apart(softmax(x, axis(0)), by_rows(array(x), 1, test::softmax)) < 1e-5);
    CHECK(apart(cast<float>(argmax(x, axis(0), keepdims)) + 1.F,
                by_rows(array(x), 1, [](const Row& v) {
                  return Row{1.0 +
                             static_cast<double>(std::max_element(v.begin(), v.end()) - v.begin())};
                })) == 0);
  }
  for (const std::int64_t n : {4, 5, 80, 128}) {
    CAPTURE(n);
    const auto x = noise<float>({50, n}).on(Cuda{});
    const auto y = noise<float>({50, n}, 2).on(Cuda{});
    const weft::Tensor<float, Cuda> p = softmax(x);
    const weft::Tensor<float, Cuda> logs = log_softmax(x) - log_softmax(y);
    const weft::Tensor<float, Cuda> expected = sum(p * logs, axis(-1));
    const weft::Tensor<float, Cuda> kl =
        sum(softmax(x) * (log_softmax(x) - log_softmax(y)), axis(-1));
    CHECK(max(abs(kl - expected)).item() < 1e-5F);
  }
}

TEST_CASE("rows of which one operand has neighbouring rows together [gpu] [sanitize]") {
  for (const std::int64_t n : {31, 33, 40, 100, 128, 129}) {
    CAPTURE(n);
    const auto x = noise<float>({77, n}).on(Cuda{});
    const auto r = noise<float>({n, 77}, 2).on(Cuda{});
    const weft::Tensor<float, Cuda> both = x + r.permute({1, 0});
    const weft::Tensor<float, Cuda> y = softmax(x + r.permute({1, 0}));
    CHECK(apart(y, by_rows(array(both), 2, test::softmax)) < 1e-5);
  }
}

TEST_CASE("rows that indices pick, normalised [gpu]") {
  for (const std::int64_t n : {17, 64, 1000}) {
    CAPTURE(n);
    const auto table = noise<float>({20, n}).on(Cuda{});
    const auto w = noise<float>({n}, 2).on(Cuda{});
    const auto b = noise<float>({n}, 3).on(Cuda{});
    const auto ids = weft::arange<std::int64_t>(60, Cuda{}) % std::int64_t{20};
    const weft::Tensor<std::int64_t, Cuda> at = ids;
    const weft::Tensor<float, Cuda> picked = take(table, at, axis(0));
    const weft::Tensor<float, Cuda> expected = layer_norm(picked, w, b);
    const weft::Tensor<float, Cuda> got = layer_norm(take(table, at, axis(0)), w, b);
    CHECK(max(abs(got - expected)).item() < 2e-6F);
  }
}

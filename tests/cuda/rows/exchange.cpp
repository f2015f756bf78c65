// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/exchange.hpp"

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

namespace {

/// States of 4, 8, 12 and 16 bytes in one pass.
template <class X>
auto several(const X& x, const weft::Axes& axes) {
  return (max(x, axes, keepdims) + var(x, axes, keepdims)) +
         (x + sum(exp(x - max(x, axes, keepdims)), axes, keepdims)) * 0.5F +
         cast<float>(argmax(x, axes, keepdims));
}
Row several_of(const Row& row) {
  const double most = test::largest(row);
  const auto n = static_cast<double>(row.size());
  const double variance = test::spread(row) * n / (n - 1);
  const auto at = static_cast<double>(std::max_element(row.begin(), row.end()) - row.begin());
  double sum = 0;
  for (double v : row) sum += std::exp(v - most);
  return test::each(row, [&](double v) { return most + variance + (v + sum) * 0.5 + at; });
}

}  // namespace

TEST_CASE(
    "several reductions of one pass, by lanes, warps, clusters and columns [gpu] [sanitize]") {
  const auto check = [](const Shape& shape, int along) {
    CAPTURE(weft::detail::text(shape));
    const auto x = noise<float>(shape).on(Cuda{});
    CHECK(apart(several(x, axis(along)), by_rows(array(x), 1U << along, several_of)) < 2e-5);
  };
  for (const std::int64_t n : {2, 33, 255, 257, 1023, 1025, 5001}) check({7, n}, 1);
  check({2, 40001}, 1);  // a cluster
  for (const std::int64_t n : {2, 8, 9, 63, 65, 300}) check({n, 40}, 0);
  check({9001, 33}, 0);  // a cluster of columns
  check({5, 9, 14}, 1);
}

TEST_CASE("one pass whose pieces a second kernel merges [gpu] [sanitize]") {
  const auto x = noise<float>({2, 700001}).on(Cuda{});
  const weft::Tensor<float, Cuda> e = sqrt(sum(square(x), axis(1), keepdims)) + 1.F;
  const auto expected = by_rows(array(x), 2, [](const Row& row) {
    double sum = 0;
    for (double v : row) sum += v * v;
    return Row{std::sqrt(sum) + 1};
  });
  CHECK(apart(e, expected) < 1e-5);
}

TEST_CASE("several reductions of few long rows are one pass [gpu] [sanitize]") {
  const auto y = noise<float>({700, 3, 1000}).on(Cuda{});
  const auto [least, most, spread] =
      fuse(min(y, axis(0, 2)), max(y, axis(0, 2)), var(y, axis(0, 2), weft::correction(0)));
  for (std::int64_t i = 0; i < 3; ++i) {
    Row row;
    for (const float v : y(weft::all, i).eval().to_vector()) row.push_back(v);
    CHECK(least(i).item() == static_cast<float>(*std::min_element(row.begin(), row.end())));
    CHECK(most(i).item() == static_cast<float>(test::largest(row)));
    CHECK(spread(i).item() == doctest::Approx(test::spread(row)).epsilon(1e-5));
  }
}

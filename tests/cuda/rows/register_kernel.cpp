// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/register_kernel.hpp"

#include <cmath>

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
using weft::Tensor;

TEST_CASE_TEMPLATE("rows of every length, of elements of every size [gpu] [sanitize]", T,
                   weft::bfloat16, weft::half, float, double) {
  const double tolerance = sizeof(T) == 2 ? 1e-2 : 1e-5;
  for (const std::int64_t n : {8, 24, 64, 136, 512, 1032, 4096, 8200, 40000, 131072}) {
    CAPTURE(n);
    const auto x = noise<T>({3, n}).on(Cuda{});
    CHECK(apart(softmax(x), by_rows(array(x), 2, test::softmax)) < tolerance);
  }
}

TEST_CASE("several reductions of one reading, also of rows longer than what is kept [gpu]") {
  for (const std::int64_t n : {12, 1000, 8192, 100000}) {
    CAPTURE(n);
    const auto x = noise<float>({300, n}).on(Cuda{});
    Tensor<float, Cuda> variance = weft::empty({300}, Cuda{});
    Tensor<float, Cuda> average = weft::empty({300}, Cuda{});
    tie(variance, average) = fuse(var(x, axis(-1)) * 1.F, mean(x, axis(-1)) * 1.F);
    CHECK(max(abs(variance - var(x, axis(-1)))).item() < 1e-5F);
    CHECK(max(abs(average - mean(x, axis(-1)))).item() < 1e-5F);
    const Tensor<float, Cuda> sums = logsumexp(x, axis(-1)) + sum(x, axis(-1));
    const Tensor<float, Cuda> expected = logsumexp(x, axis(-1)).eval() + sum(x, axis(-1)).eval();
    CHECK(max(abs(sums - expected)).item() < 1e-3F);
  }
}

TEST_CASE("infinities and NaN in a row [gpu]") {
  const float inf = std::numeric_limits<float>::infinity();
  for (const std::int64_t n : {16, 512, 8192}) {
    CAPTURE(n);
    auto host = weft::zeros({4, n});
    for (std::int64_t i = 0; i < n; ++i) host(0, i) = -inf;
    host(1, n / 2) = -inf;
    host(2, n - 1) = inf;
    host(3, 1) = std::numeric_limits<float>::quiet_NaN();
    const auto x = host.to(Cuda{});
    const auto lse = (logsumexp(x, axis(-1)) * 1.F).eval().to_vector();
    CHECK(lse[0] == -inf);
    CHECK(lse[1] == doctest::Approx(std::log(static_cast<double>(n - 1))).epsilon(1e-5));
    CHECK(lse[2] == inf);
    CHECK(std::isnan(lse[3]));
    const auto p = softmax(x).eval().to_vector();
    CHECK(p[static_cast<std::size_t>(n + n / 2)] == 0);
    CHECK(std::isnan(p[static_cast<std::size_t>(3 * n)]));
  }
}

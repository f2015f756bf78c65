// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/registers.hpp"

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

TEST_CASE("operands of a row: kept, the same in each row, one number, positions [gpu] [sanitize]") {
  for (const std::int64_t n : {4, 12, 64, 100, 256, 1000, 8192, 9000}) {
    CAPTURE(n);
    const auto x = weft::arange<float>(6 * n, Cuda{}).reshape({6, n});
    const auto along = weft::arange<float>(n, Cuda{});
    const auto number = weft::arange<float>(6, Cuda{}).reshape({6, 1});
    const weft::Tensor y = x - along - number * static_cast<float>(n) +
                           (max(x, axis(-1), keepdims) - min(x, axis(-1), keepdims));
    for (float v : y.to_vector()) CHECK(v == static_cast<float>(n - 1));
    const weft::Tensor first = argmin(x, axis(-1), keepdims) + argmax(x, axis(-1), keepdims);
    for (auto v : first.to_vector()) CHECK(v == n - 1);
  }
}

TEST_CASE("two and three operands in a reduction, more than are kept in the outputs [gpu]") {
  for (const std::int64_t n : {8, 260, 4096}) {
    CAPTURE(n);
    const auto x = noise<float>({5, n}).on(Cuda{});
    const auto y = noise<float>({5, n}, 2).on(Cuda{});
    const auto z = noise<float>({5, n}, 3).on(Cuda{});
    const weft::Tensor<float, Cuda> product = x * y;
    CHECK(apart(softmax(x * y), by_rows(array(product), 2, test::softmax)) < 1e-6);
    const weft::Tensor<float, Cuda> all = x * y + z;
    CHECK(apart(softmax(x * y + z), by_rows(array(all), 2, test::softmax)) < 1e-6);
    const auto scaled = x / sum(x * x, axis(-1), keepdims) + y * z;
    const weft::Tensor<float, Cuda> squares = sum(x * x, axis(-1), keepdims);
    const weft::Tensor<float, Cuda> expected = x / squares + y * z;
    CHECK(max(abs(scaled - expected)).item() < 1e-6F);
  }
}

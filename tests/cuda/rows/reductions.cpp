// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/reductions.hpp"

#include "rows.hpp"
#include "weft/cuda/reduce.hpp"

using test::noise;
using weft::axis;
using weft::Cuda;
using weft::int64_t;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

TEST_CASE("a reduction of what changes along the row with values in memory [gpu] [sanitize]") {
  for (const Shape& shape : {Shape{7, 33}, Shape{40, 300}, Shape{3, 5001}, Shape{2, 70000}}) {
    CAPTURE(weft::detail::text(shape));
    const auto x = noise<float>(shape).on(Cuda{});
    const Tensor<float, Cuda> largest = max(x, axis(0), keepdims);
    const Tensor<float, Cuda> expected = sum(exp(x - largest), axis(1));
    const Tensor<float, Cuda> got = sum(exp(x - max(x, axis(0), keepdims)), axis(1));
    CHECK(max(abs(got / expected - 1.F)).item() < 1e-5F);
  }
}

TEST_CASE("passes that need each other: three levels [gpu] [sanitize]") {
  for (const int64_t n : {5, 300, 1001, 4096, 40001}) {
    CAPTURE(n);
    const auto x = noise<float>({6, n}).on(Cuda{});
    const auto centred = x - mean(x, axis(1), keepdims);
    const Tensor<float, Cuda> c = centred;
    const Tensor<float, Cuda> scaled = c / sqrt(mean(c * c, axis(1), keepdims));
    const Tensor<float, Cuda> expected = scaled - max(abs(scaled), axis(1), keepdims);
    const auto unit = centred / sqrt(mean(centred * centred, axis(1), keepdims));
    const Tensor<float, Cuda> got = unit - max(abs(unit), axis(1), keepdims);
    CHECK(max(abs(got - expected)).item() < 1e-4F);
  }
}

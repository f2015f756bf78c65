// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/launch.hpp"

#include "rows.hpp"
#include "weft/cuda/reduce.hpp"

using test::noise;
using weft::axis;
using weft::Cuda;
using weft::int64_t;
using weft::keepdims;
using weft::Shape;
using weft::Tensor;

namespace {

/// Numbers from -2 to 2, made where they are.
Tensor<float, Cuda> numbers(const Shape& shape) {
  auto x = weft::empty(shape, Cuda{});
  x.assign(weft::uniform(shape) * 4.F - 2.F);
  return x;
}

/// The largest difference between f(x) and f of a few rows of x at a time.
template <class F>
float apart_from_few(const Tensor<float, Cuda>& x, int64_t few, F f) {
  const Tensor whole = f(x);
  float most = 0;
  for (int64_t i = 0; i < x.shape()[0]; i += few) {
    const int64_t n = i + few < x.shape()[0] ? few : x.shape()[0] - i;
    most = std::max(most, max(abs(f(x.narrow(0, i, n)) - whole.narrow(0, i, n))).item());
  }
  return most;
}

}  // namespace

TEST_CASE("more rows than run at once give what few do [gpu]") {
  for (const Shape& shape : {Shape{40000, 12}, Shape{30000, 100}, Shape{20001, 513},
                             Shape{3001, 8191}, Shape{600, 40000}, Shape{151, 200001}}) {
    CAPTURE(weft::detail::text(shape));
    const auto x = numbers(shape);
    const int64_t few = shape[0] / 3;
    CHECK(apart_from_few(x, few, [](const auto& v) { return softmax(v); }) < 1e-6);
    CHECK(apart_from_few(x, few, [](const auto& v) { return standardize(v); }) < 1e-4);
    CHECK(apart_from_few(x, few, [](const auto& v) { return logsumexp(v, axis(-1), keepdims); }) <
          1e-4);
    const auto odd = x.narrow(1, 1, shape[1] - 3);
    CHECK(apart_from_few(odd, few, [](const auto& v) { return softmax(v); }) < 1e-6);
  }
}

TEST_CASE("more columns than run at once give what few do [gpu]") {
  const auto x = numbers({40, 300000});
  const Tensor whole = softmax(x, axis(0));
  for (int64_t i = 0; i < 300000; i += 100000) {
    CHECK(max(abs(softmax(x.narrow(1, i, 100000), axis(0)) - whole.narrow(1, i, 100000))).item() <
          1e-6F);
  }
}

TEST_CASE("rows are computed once, where their operands are written over [gpu] [sanitize]") {
  for (const Shape& shape : {Shape{5000, 33}, Shape{2000, 1024}}) {
    auto x = numbers(shape);
    const Tensor expected = softmax(x);
    x.assign(softmax(x));
    CHECK(all(x == expected).item());
  }
}

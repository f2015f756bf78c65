// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/opaque.hpp>

#ifdef __CUDACC__
#include <weft/cuda/scan/scan.hpp>
#endif

#include "array.hpp"

using weft::all;
using weft::axis;
using weft::slice;
using weft::Tensor;

static_assert(weft::OpaqueNode<decltype(cumsum(weft::Tensor<float>()))>);
static_assert(!weft::OpaqueNode<weft::Tensor<float>>);
static_assert(!weft::OpaqueNode<decltype(weft::Tensor<float>() + 1)>);

namespace {
template <class D>
Tensor<float, D> counted(std::int64_t n, D device) {
  return weft::arange<float>(1, static_cast<float>(n + 1), 1, device);
}
}  // namespace

TEST_CASE_TEMPLATE("a staged node as a whole right-hand side", D, TEST_DEVICES) {
  const auto x = counted(4, D{});
  const Tensor<float, D> y = cumsum(x);
  CHECK(y.to_vector() == std::vector<float>{1, 3, 6, 10});
  const auto z = weft::zeros({4, 2}, D{});
  z(all, 0) = cumsum(x);
  z(all, 1).assign(cumsum(x.flip(0)));
  CHECK(z.to_vector() == std::vector<float>{1, 4, 3, 7, 6, 9, 10, 10});
  const auto wide = weft::zeros({2, 4}, D{});
  wide.assign(cumsum(x));
  CHECK(wide.to_vector() == std::vector<float>{1, 3, 6, 10, 1, 3, 6, 10});
  CHECK_THROWS_AS(wide.assign(cumsum(counted(3, D{}))), weft::ShapeError);
}

TEST_CASE_TEMPLATE("a staged node inside a larger expression", D, TEST_DEVICES) {
  const auto x = counted(4, D{});
  const auto e = cumsum(x) * 2 + x;
  CHECK(e.eval().to_vector() == std::vector<float>{3, 8, 15, 24});
  CHECK(sum(cumsum(x) - 1).item() == 16);
  CHECK(cumsum(cumsum(x + 1) * 2).eval().to_vector() == std::vector<float>{4, 14, 32, 60});
  CHECK(cumsum(x.reshape({2, 2}), axis(0)).eval()(1).to_vector() == std::vector<float>{4, 6});
  CHECK(cummax(sum(x.reshape({2, 2}), axis(1))).eval().to_vector() == std::vector<float>{3, 7});
}

TEST_CASE_TEMPLATE("a target that its operands share memory with", D, TEST_DEVICES) {
  auto x = counted(4, D{});
  x.assign(cumsum(x));
  CHECK(x.to_vector() == std::vector<float>{1, 3, 6, 10});
  x.assign(cumsum(x.flip(0)));
  CHECK(x.to_vector() == std::vector<float>{10, 16, 19, 20});
  x(slice(1, weft::none)) = cumsum(x(slice(0, -1)));
  CHECK(x.to_vector() == std::vector<float>{10, 10, 26, 45});
  x += cumsum(x);
  CHECK(x.to_vector() == std::vector<float>{20, 30, 72, 136});
  const auto other = x;
  x = cumsum(x);
  CHECK(x.to_vector() == std::vector<float>{20, 50, 122, 258});
  CHECK(other.to_vector() == std::vector<float>{20, 30, 72, 136});
  x = cumsum(x + 0) - x;
  CHECK(x.to_vector() == std::vector<float>{0, 20, 70, 192});
}

TEST_CASE_TEMPLATE("a buffer that nobody else sees is reused", D, TEST_DEVICES) {
  auto y = weft::zeros({4}, D{});
  const auto x = counted(4, D{});
  const auto* before = y.data();
  y = cumsum(x);
  CHECK(y.data() == before);
  CHECK(y.to_vector() == std::vector<float>{1, 3, 6, 10});
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/batch.hpp>

#include "test.hpp"
#ifdef __CUDACC__
#include <weft/cuda/algorithms.hpp>

#include "cuda/graph_nodes.hpp"
#endif

using weft::Batch;
using weft::Shape;
using weft::Tensor;

namespace {
/// Tensors of many shapes: no elements, one, odd lengths, several dimensions.
template <class D>
std::vector<Tensor<float, D>> many(std::size_t count, float start) {
  const Shape shapes[] = {{3}, {}, {1}, {2, 5}, {0, 4}, {1025}, {4, 1, 7}, {4099}};
  std::vector<Tensor<float, D>> out;
  for (std::size_t i = 0; i < count; ++i) {
    const Shape& shape = shapes[i % 8];
    const auto values = weft::arange<float>(0, static_cast<float>(shape.size()), 1, D{});
    out.push_back(
        Tensor<float, D>(values * 0.25F + (start + static_cast<float>(i))).reshape(shape));
  }
  return out;
}
}  // namespace

TEST_CASE_TEMPLATE("a batch gives what its statements give one after the other [sanitize]", D,
                   TEST_DEVICES) {
  const auto x = many<D>(300, 1);
  auto p = many<D>(300, 2);
  auto m = many<D>(300, 3);
  auto p2 = many<D>(300, 2);
  auto m2 = many<D>(300, 3);
  const auto rate = weft::full<float>({}, 0.5F, D{});
  Batch<D> batch;
  for (std::size_t i = 0; i < x.size(); ++i) {
    batch.tie(p[i], m[i]) = fuse(p[i] - rate * (m[i] + x[i]), 0.9F * m[i] + x[i]);
    tie(p2[i], m2[i]) = fuse(p2[i] - rate * (m2[i] + x[i]), 0.9F * m2[i] + x[i]);
  }
  batch.run();
  for (std::size_t i = 0; i < x.size(); ++i) {
    CHECK(equal(p[i], p2[i]));
    CHECK(equal(m[i], m2[i]));
  }
}

TEST_CASE_TEMPLATE("statements that depend on waiting ones see their results", D, TEST_DEVICES) {
  auto x = weft::full<float>({5}, 1, D{});
  auto y = weft::full<float>({5}, 10, D{});
  {
    Batch<D> batch;
    batch.assign(x, x + 1);          // x = 2
    batch.assign(y, y + x);          // reads what waits: y = 12
    batch.assign(x, x + 1);          // writes what waits reads: x = 3
    batch.assign(x, x * 2 + y);      // another form: x = 18
    batch.assign(y, cumsum(x) + y);  // not element-wise: y = 30, 48, ...
    batch.assign(y, y + 1);
  }  // runs at the end of its scope
  CHECK(x.to_vector() == std::vector<float>(5, 18));
  CHECK(y.to_vector() == std::vector<float>{31, 49, 67, 85, 103});
}

TEST_CASE_TEMPLATE("numbers and layouts that differ are kept apart", D, TEST_DEVICES) {
  auto a = weft::zeros<float>({4, 3}, D{});
  auto b = weft::zeros<float>({4, 3}, D{});
  auto c = weft::zeros<float>({3, 4}, D{});
  const Tensor<float, D> wide = weft::arange<float>(0, 12, 1, D{}).reshape({4, 3});
  const auto row = weft::tensor({1.0F, 2.0F, 3.0F}, D{});
  Batch<D> batch;
  batch.assign(a, wide * 2.0F);
  batch.assign(b, wide * 3.0F);
  auto turned = c.t();
  batch.assign(turned, wide * 3.0F);
  batch.run();
  CHECK(equal(a, wide * 2.0F));
  CHECK(equal(b, wide * 3.0F));
  CHECK(equal(c, (wide * 3.0F).eval().t()));
  batch.assign(a, wide + row);  // broadcast along rows
  batch.assign(b, wide + wide);
  batch.run();
  CHECK(equal(a, wide + row));
  CHECK(equal(b, wide + wide));
}

TEST_CASE_TEMPLATE("a batch checks what tie checks, and loses nothing", D, TEST_DEVICES) {
  auto x = weft::zeros<float>({3}, D{});
  Batch<D> batch;
  batch.assign(x, x + 1);
  CHECK_SAYS("[tie] target 0 has shape (3,), expected (2,)",
             batch.assign(x, weft::ones<float>({2}, D{}) + 1));
  batch.run();
  CHECK(x.to_vector() == std::vector<float>(3, 1));
}

#ifdef __CUDACC__
TEST_CASE("142 statements are one kernel [gpu]") {
  auto p = many<weft::Cuda>(142, 2);
  const auto x = many<weft::Cuda>(142, 1);
  const auto step = [&] {
    Batch<weft::Cuda> batch;
    for (std::size_t i = 0; i < p.size(); ++i) batch.assign(p[i], p[i] * 0.5F + x[i]);
    batch.run();
  };
  const GraphNodes nodes = captured(step);
  CHECK(nodes.kernels == 1);
  CHECK(nodes.copies + nodes.memsets + nodes.allocations == 0);
}
#endif

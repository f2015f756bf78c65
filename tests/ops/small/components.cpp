// SPDX-License-Identifier: Apache-2.0
#include <weft/ops/small/components.hpp>

#include "test.hpp"

#include <weft/ops/small/reduce.hpp>

#include "small.hpp"

using namespace weft;

namespace {
using Vector = Small<float, 3>;
using Matrix = Small<float, 3, 3>;
}  // namespace

TEST_CASE_TEMPLATE("numbers become Small and Small numbers", D, TEST_DEVICES) {
  const Tensor<float, D> x = arange<float>(300, D{});
  const Tensor p = small<3>(x, 2 * x, 1);
  const auto ps = test::elements(p);
  for (int i : {0, 5, 299}) {
    const auto f = static_cast<float>(i);
    CHECK(ps[static_cast<std::size_t>(i)] == Vector{f, 2 * f, 1});
  }
  const Tensor y = component<1>(p) - component<0>(p);
  CHECK(equal(y, x));
  const Tensor m = small<2, 2>(x, 1, 2, x + 1);
  CHECK(test::elements(m)[7] == Small<float, 2, 2>{7, 1, 2, 8});
  CHECK(test::elements(component<1, 1>(m))[7] == 8);
  CHECK(test::elements(row<1>(m))[7] == Small<float, 2>{2, 8});
  CHECK(test::elements(column<1>(m))[7] == Small<float, 2>{1, 8});
}

TEST_CASE_TEMPLATE("views of each other's memory", D, TEST_DEVICES) {
  const Tensor<float, D> x = arange<float>(4 * 5 * 9, D{}).reshape({4, 5, 3, 3});
  const auto m = as_small<3, 3>(x);
  CHECK(m.shape() == Shape{4, 5});
  CHECK(static_cast<const void*>(m.data()) == static_cast<const void*>(x.data()));
  CHECK(m(1, 2).item() == Matrix{63, 64, 65, 66, 67, 68, 69, 70, 71});
  m(1, 2) = Matrix::identity();
  CHECK(x(1, 2, 1, 1).item() == 1);
  const auto back = components(m);
  CHECK(back.shape() == x.shape());
  CHECK(back.strides() == x.strides());

  // Every second matrix of transposed batches; rows as vectors; a Small of one column.
  const auto some = as_small<3, 3>(x.transpose(0, 1)(slice(0, 5, 2)));
  CHECK(some.shape() == Shape{3, 4});
  CHECK(some(1, 1).item() == m(1, 2).item());
  CHECK(as_small<3>(x)(1, 2, 1).item() == Vector{0, 1, 0});
  CHECK(components(as_small<3>(x)).shape() == Shape{4, 5, 3, 3});
}

TEST_CASE_TEMPLATE("elements are picked and moved as numbers are", D, TEST_DEVICES) {
  const auto p = test::smalls<Vector, D>(200, 2);
  const auto ps = test::elements(p);
  const Tensor<int64_t, D> index = (arange<int64_t>(300, D{}) * 7) % 200;
  const auto picked = test::elements(2 * take(p, index, axis(0)) + Vector{1, 1, 1});
  for (std::size_t i = 0; i < 300; ++i) {
    CHECK(test::difference<Vector>({picked[i]}, {2 * ps[i * 7 % 200] + Vector{1, 1, 1}}) < 1e-6);
  }
  const auto turned = test::elements(flip(p, 0) - p);
  const auto joined = test::elements(cat(p, -p, axis(0)));
  for (std::size_t i = 0; i < 200; ++i) {
    CHECK(turned[i] == ps[199 - i] - ps[i]);
    CHECK(joined[i] == -joined[200 + i]);
  }
}

TEST_CASE_TEMPLATE("sums and means along axes", D, TEST_DEVICES) {
  const auto p = test::smalls<Vector, D>(60, 1).reshape({5, 12});
  const auto ps = test::elements(p);
  Vector total{};
  std::vector<Vector> columns(12);
  for (std::size_t i = 0; i < 60; ++i) {
    total += ps[i];
    columns[i % 12] += ps[i] / 5;
  }
  CHECK(test::difference<Vector>({sum(p).item()}, {total}) < 1e-5);
  CHECK(test::difference(test::elements(mean(p, axis(0))), columns) < 1e-6);
  CHECK(mean(p * 2, axis(-1), keepdims).shape() == Shape{5, 1});
  CHECK(test::difference<Vector>({sum(2 * p - p).item()}, {total}) < 1e-5);
  const Tensor centred = p - mean(2 * p, axis(0)) / 2;  // the mean is evaluated before
  CHECK(norm(sum(centred).item()) < 1e-5F);
  const float spread = sum(norm(p - mean(p + p, axis(0)) / 2)).item();
  const Tensor mixed = norm(p - mean(2 * p, axis(0)) / 2) - mean(norm(p), axis(0), keepdims);
  const Tensor apart = norm(centred) - mean(norm(p), axis(0), keepdims);
  CHECK(allclose(mixed, apart, {.atol = 1e-6}));
  CHECK(spread == doctest::Approx(sum(norm(centred)).item()));
  using Large = weft::Small<double, 5, 5>;  // a block has no room for one state per thread
  const Tensor<Large, D> large = weft::full<Large>({3, 2}, Large::identity(), D{});
  CHECK(test::elements(sum(large + large, axis(0)))[1] == Large::identity() * 6);
  CHECK(allclose(p + p, 2 * p));
  CHECK(!allclose(p + p, 3 * p));
}

TEST_CASE("what does not lie as Small is refused, with the reason") {
  const Tensor<float> x = zeros<float>({4, 3, 3});
  CHECK_SAYS("[as_small] shape (4, 3, 3) with strides (9, 1, 3), expected dense last axes of 3 x 3",
             as_small<3, 3>(x.transpose(1, 2)));
  CHECK_SAYS("expected dense last axes of 4 numbers from a multiple of 16 bytes", as_small<4>(x));
  const Tensor<float> y = zeros<float>({9});
  CHECK_SAYS("from a multiple of 16 bytes", as_small<4>(y(slice(1, 9)).reshape({2, 4})));
  CHECK(as_small<4>(y(slice(1, 9)).reshape({2, 4}).clone()).size() == 2);
}

TEST_CASE("tensors of Small and single ones are printed") {
  const Tensor<float> x = arange<float>(4).reshape({1, 2, 2});
  CHECK(to_string(as_small<2, 2>(x)) == Text("tensor([[[0., 1.],\n         [2., 3.]]], "
                                             "Small<float32, 2, 2>, cpu)"));
  CHECK(to_string(as_small<2>(x)(0, 1)) == Text("tensor([2., 3.], Small<float32, 2>, cpu)"));
  const Text many = to_string(as_small<2>(arange<float>(2000).reshape({1000, 2})));
  CHECK(many.c_str() == doctest::Contains("1.999e+03]], shape (1000,), Small<float32, 2>, cpu)"));
  CHECK(to_string(Small<double, 2, 2>{1, 2, 3, 4.5}) == Text("[[1. , 2. ],\n [3. , 4.5]]"));
}

// SPDX-License-Identifier: Apache-2.0
#include "weft/autograd/index/order.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("elements in order and chosen ones", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  CHECK(gradcheck([](const auto& v) { return sort(v).values; }, x));
  CHECK(gradcheck([](const auto& v) { return sort(v * v, axis(0), descending).values; }, x));
  CHECK(gradcheck([](const auto& v) { return topk(v, 2, axis(0), smallest).values; }, x));
  CHECK(argsort(x).to_vector() == argsort(x.detach()).to_vector());
  CHECK(sort(x(0, 0)).values.item() == x(0, 0).item());
  CHECK(gradcheck([](const auto& v) { return masked_select(v * 2.0, v > 0.1); }, x));
  const auto row = tensor({true, false, true, true}).to(D{});
  CHECK(gradcheck([&](const auto& v) { return masked_select(v, row); }, x));
  CHECK(masked_select(x, row).size() == 9);
}

TEST_CASE_TEMPLATE("additions by indices", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var y = parameter(numbers<D>({2, 3}, 0.5));
  const auto along = tensor<std::int64_t>({{2, 0, 2}, {3, 0, 2}}).to(D{});
  const auto rows = tensor<std::int64_t>({1, 1}).to(D{});
  CHECK(gradcheck([&](const auto& v, const auto& s) { return scatter_add(v, axis(0), along, s); },
                  x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return index_add(v, axis(0), rows, s * s); },
                  x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return put_add(v, along, s); }, x, y));
  const Var sums = index_add(Var(zeros<double>({4, 3}, D{})), axis(0), rows, y(0));
  CHECK(allclose(sums.detach()(1), 2.0 * y.detach()(0)));

  // Axis 0 of a number is its only element.
  const Var number = parameter(numbers<D>({}));
  const auto first = tensor<std::int64_t>({0}).to(D{});
  const Var twice = index_add(number, axis(0), first, 2.0 * number);
  twice.backward();
  CHECK(twice.item() == 3.0 * number.item());
  CHECK(number.grad().item() == 3);
}

TEST_CASE_TEMPLATE("sums over named axes", D, TEST_DEVICES) {
  const Var a = parameter(numbers<D>({2, 3, 4}));
  const Var b = parameter(numbers<D>({4, 3}, 0.3));
  CHECK(gradcheck([](const auto& v, const auto& w) { return einsum("bij,jk->bik", v, w); }, a, b));
  CHECK(gradcheck([](const auto& v, const auto& w) { return einsum("bij,ji->b", v, w * 2.0); }, a,
                  b));
  CHECK(gradcheck([](const auto& v) { return einsum("bij->jb", v); }, a));
  CHECK(gradcheck([](const auto& v, const auto& w) { return tensordot(v, w, 1); }, a, b));
  const auto constant = b.detach();
  CHECK(gradcheck([&](const auto& v) { return tensordot(v, constant, {1, 2}, {1, 0}); }, a));
}

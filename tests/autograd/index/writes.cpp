// SPDX-License-Identifier: Apache-2.0
#include "weft/autograd/index/writes.hpp"

#include "gradients.hpp"
#include "weft/ops/at_indices.hpp"
#include "weft/ops/index/scatter_reduce.hpp"
#include "weft/ops/index/several.hpp"
#include "weft/ops/shape/choose.hpp"

#ifdef __CUDACC__
#include "weft/cuda/algorithms.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("elements of a Var that a mask chooses", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3, 4}));
  const auto rows = tensor({true, false, true}).to(D{});
  CHECK(gradcheck([](const auto& v) { return v[v > 0.1] * 2.0; }, x));
  CHECK(gradcheck([&](const auto& v) { return v[rows]; }, x));
  CHECK(gradcheck([&](const auto& v) { return (v * v)[rows]; }, x));
  CHECK(x[rows].shape() == Shape{2, 4});
  CHECK(equal(Var(x[x > 0.1]).detach(), x.detach()[x.detach() > 0.1]));
  CHECK_SAYS("[index] a mask of shape (4,) for (3, 4)",
             x[tensor({true, true, true, true}).to(D{})]);
}

TEST_CASE_TEMPLATE("writes by indices", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var y = parameter(numbers<D>({2, 3}, 0.5));
  const auto along = tensor<std::int64_t>({{2, 0, 2}, {3, 1, 0}}).to(D{});
  const auto rows = tensor<std::int64_t>({1, -1}).to(D{});
  const auto places = tensor<std::int64_t>({{0, 5, 7}, {8, 9, 11}}).to(D{});
  CHECK(
      gradcheck([&](const auto& v, const auto& s) { return scatter(v, axis(0), along, s); }, x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return index_copy(v, axis(0), rows, s * s); },
                  x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return index_copy(v, axis(0), rows, s(0)); },
                  x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return put(v, places, s); }, x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return put(v, places, s.reshape({-1})); }, x,
                  y));
  CHECK(gradcheck([&](const auto& v) { return index_fill(v, axis(0), rows, 7); }, x));
  CHECK(gradcheck([&](const auto& v) { return scatter(v * v, axis(0), along, 7).eval(); }, x));
  const Var filled = index_fill(x, axis(0), rows, 7);
  CHECK(allclose(filled.detach()(1), full<double>({3}, 7, D{})));
  CHECK(!allclose(x.detach()(1), full<double>({3}, 7, D{})));

  const Var number = parameter(numbers<D>({}));
  const auto first = tensor<std::int64_t>({0}).to(D{});
  const Var gone = scatter(number, axis(0), first, 5);
  gone.backward();
  CHECK(gone.item() == 5);
  CHECK(gone.rank() == 0);
  CHECK(number.grad().item() == 0);
}

TEST_CASE_TEMPLATE("writes by an index for each axis", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var y = parameter(numbers<D>({2}, 0.5));
  const auto i = tensor<std::int64_t>({3, 0}).to(D{});
  const auto j = tensor<std::int64_t>({1, 2}).to(D{});
  const auto twice = tensor<std::int64_t>({1, 1}).to(D{});
  const auto cells = tensor<std::int64_t>({{3, 1}, {0, 2}}).to(D{});
  CHECK(gradcheck([&](const auto& v, const auto& s) { return index_put(v, {i, j}, s); }, x, y));
  CHECK(gradcheck(
      [&](const auto& v, const auto& s) {
        return index_put(v, {i}, s.reshape({2, 1}));
      },
      x, y));
  CHECK(gradcheck(
      [&](const auto& v, const auto& s) {
        return index_put_add(v, {twice, twice}, s);
      },
      x, y));
  CHECK(gradcheck([&](const auto& v) { return index_put(v, {i, j}, 2); }, x));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return scatter_nd(v, cells, s); }, x, y));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return scatter_nd_add(v, cells, s); }, x, y));
  const auto mask = tensor({false, true, true}).to(D{});
  CHECK(gradcheck([&](const auto& s) { return masked_scatter(zeros<double>({3}, D{}), mask, s); },
                  y));
}

TEST_CASE_TEMPLATE("values combined where indices say", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var y = parameter(numbers<D>({3, 3}, 0.5));
  const auto along = tensor<std::int64_t>({{2, 0, 2}, {3, 1, 0}, {2, 0, 3}}).to(D{});
  const auto rows = tensor<std::int64_t>({1, 2, 1}).to(D{});
  for (bool self : {true, false}) {
    const auto check = [&](auto how) {
      CHECK(
          gradcheck([&](const auto& v,
                        const auto& s) { return scatter_reduce(v, axis(0), along, s, how, self); },
                    x, y));
      CHECK(gradcheck([&](const auto& v,
                          const auto& s) { return index_reduce(v, axis(0), rows, s, how, self); },
                      x, y));
    };
    check(combine::sum);
    check(combine::prod);
    check(combine::mean);
    check(combine::max);
    check(combine::min);
  }
  // The product of the others, where one is 0; equal extrema share their gradient.
  const Var z = parameter(tensor({0.0, 2.0, 3.0}).to(D{}));
  const auto at_0 = tensor<std::int64_t>({0, 0, 0}).to(D{});
  const Var one(ones<double>({1}, D{}));
  sum(scatter_reduce(one, axis(0), at_0, z, combine::prod)).backward();
  CHECK(z.grad().to_vector() == std::vector<double>{6, 0, 0});
  const Var w = parameter(tensor({2.0, 2.0, 1.0}).to(D{}));
  sum(scatter_reduce(one, axis(0), at_0, w, combine::max)).backward();
  CHECK(w.grad().to_vector() == std::vector<double>{0.5, 0.5, 0});
}

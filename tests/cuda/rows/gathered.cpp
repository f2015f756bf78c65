// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/gathered.hpp>

#include <weft/cuda/inspect/explain.hpp>

#include <string>

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::Cuda;
using weft::int64_t;
using weft::keepdims;
using weft::Tensor;

namespace {
Tensor<float, Cuda> table_of(int64_t rows, int64_t width) {
  const auto all = weft::arange(rows * width, Cuda{}) * 7 % 113;
  return (weft::cast<float>(all) * 0.01F).reshape({rows, width});
}
/// What explain says of the rows: whether they are read where they are.
template <class E>
bool are_found(const E& e) {
  return std::string(explain(e).kernels[0].work.c_str()).find("find(") != std::string::npos;
}
}  // namespace

TEST_CASE("[gpu] row programs read gathered rows where they are") {
  for (int64_t width : {8, 64, 128, 1000, 9000}) {
    CAPTURE(width);
    const auto table = table_of(11, width);
    const auto w = table(3) + 1.0F;
    const auto ids = weft::tensor({{4, 0, -1}, {4, 10, 7}}, Cuda{});
    const Tensor<float, Cuda> picked = take(table, ids, axis(0));
    CHECK(are_found(softmax(take(table, ids, axis(0)), axis(-1))));
    const Tensor<float, Cuda> y = rms_norm(take(table, ids, axis(0)), w);
    const Tensor<float, Cuda> expected = rms_norm(picked, w);
    CHECK(max(abs(y - expected)).item() < 1e-5F);
    const Tensor<float, Cuda> sums = sum(take(table, ids, axis(0)) * w, axis(-1));
    const Tensor<float, Cuda> wanted = sum(picked * w, axis(-1));
    CHECK(max(abs(sums - wanted)).item() < 1e-5F * static_cast<float>(width));
    const auto other = weft::tensor({{1, 2, 3}, {4, 5, 6}}, Cuda{});
    const Tensor<float, Cuda> second = take(table, other, axis(0));
    const Tensor<float, Cuda> both =
        softmax(take(table, ids, axis(0)) + take(table, other, axis(0)), axis(-1));
    const Tensor<float, Cuda> both_wanted = softmax(picked + second, axis(-1));
    CHECK(max(abs(both - both_wanted)).item() < 1e-6F);
  }
}

TEST_CASE("[gpu] gathered rows that a row program does not read as its rows are evaluated first") {
  const auto table = table_of(11, 64);
  const auto ids = weft::tensor({4, 0, -1}, Cuda{});
  const Tensor<float, Cuda> picked = take(table, ids, axis(0));
  const Tensor<float, Cuda> down = softmax(take(table, ids, axis(0)), axis(0));
  CHECK(!are_found(softmax(take(table, ids, axis(0)), axis(0))));
  CHECK(max(abs(down - softmax(picked, axis(0)))).item() < 1e-6F);
  const auto odd = table(weft::all, weft::slice(0, 33));
  CHECK(!are_found(softmax(take(odd, ids, axis(0)), axis(-1))));
  const Tensor<float, Cuda> narrow = softmax(take(odd, ids, axis(0)), axis(-1));
  CHECK(max(abs(narrow - softmax(picked(weft::all, weft::slice(0, 33)), axis(-1)))).item() < 1e-6F);
  auto turned = weft::zeros<float>({64, 3}, Cuda{});
  turned.permute({1, 0}) = softmax(take(table, ids, axis(0)), axis(-1));
  CHECK(max(abs(turned.permute({1, 0}) - softmax(picked, axis(-1)))).item() < 1e-6F);
}

TEST_CASE("[gpu] a table that a row program of its rows replaces") {
  auto table = table_of(6, 64);
  const auto ids = weft::tensor({5, 0, 2, 2, 1, 0}, Cuda{});
  const Tensor<float, Cuda> picked = take(table, ids, axis(0));
  table = softmax(take(table, ids, axis(0)), axis(-1));
  CHECK(max(abs(table - softmax(picked, axis(-1)))).item() < 1e-6F);
}

TEST_CASE("[gpu] a bad index gives NaN in its row of a row program") {
  const auto table = table_of(3, 64);
  const auto ids = weft::tensor({0, 3, 1}, Cuda{});
  const Tensor<float, Cuda> y = softmax(take(table, ids, axis(0)), axis(-1));
  CHECK_SAYS("[take] index 3 is out of range on cuda:0, expected -3 to 2",
             weft::synchronize(Cuda{}));
  CHECK(all(isnan(y(1))).item());
  CHECK(weft::abs(sum(y(0)) - 1.0F).item() < 1e-5F);
  CHECK(weft::abs(sum(y(2)) - 1.0F).item() < 1e-5F);
}

TEST_CASE("[gpu] gathered rows that only reductions read, and formulas of two") {
  for (int64_t width : {64, 1000, 9000}) {
    CAPTURE(width);
    const auto table = table_of(11, width);
    const auto ids = weft::tensor({4, 0, -1, 4}, Cuda{});
    const auto other = weft::tensor({1, 2, 3, 4}, Cuda{});
    const Tensor<float, Cuda> x = take(table, ids, axis(0));
    const Tensor<float, Cuda> y = take(table, other, axis(0));
    const auto distance = [](const auto& a, const auto& b) {
      auto p = log_softmax(a, axis(-1));
      auto q = log_softmax(b, axis(-1));
      return sum(weft::exp(p) * (p - q), axis(-1));
    };
    const auto found = distance(take(table, ids, axis(0)), take(table, other, axis(0)));
    CHECK(are_found(found));
    CHECK(max(abs(found - distance(x, y).eval())).item() < 1e-5F);
    const auto symmetric = [](const auto& a, const auto& b) {
      auto p = softmax(a, axis(-1));
      auto q = softmax(b, axis(-1));
      auto m = (p + q) * 0.5F;
      return sum(p * (log(p) - log(m)) + q * (log(q) - log(m)), axis(-1));
    };
    const auto parts = symmetric(take(table, ids, axis(0)), take(table, other, axis(0)));
    CHECK(max(abs(parts - symmetric(x, y).eval())).item() < 1e-5F);
  }
}

TEST_CASE("[gpu] gradients of a statement with gathered rows inside a reduction") {
  const auto table = table_of(11, 64);
  const auto ids = weft::tensor({4, 0, -1, 4}, Cuda{});
  const Tensor<float, Cuda> picked = take(table, ids, axis(0));
  const Tensor<float, Cuda> start = table_of(4, 64) + 0.5F;
  const auto v = weft::parameter(start);
  const auto w = weft::parameter(start.clone());
  const auto loss = [](const auto& x, const auto& rows) {
    return sum(softmax(x * sum(rows, axis(-1), keepdims), axis(-1)) * x);
  };
  loss(v, take(table, ids, axis(0))).backward();
  loss(w, picked).backward();
  CHECK(max(abs(v.grad() - w.grad())).item() < 1e-5F);
}

TEST_CASE("[gpu] gathered rows of two axes, of which items may run along either") {
  for (int64_t width : {7, 49, 56, 3025}) {
    CAPTURE(width);
    const auto table = table_of(5, 8 * width).reshape({5, 8, width});
    const auto scale = (weft::arange(8, Cuda{}) + 1).reshape({8, 1});
    const auto weights = weft::cast<float>(scale);
    const auto ids = weft::tensor({4, 0, -1, 4}, Cuda{});
    const Tensor<float, Cuda> picked = take(table, ids, axis(0));
    const auto shares = [&](const auto& x) {
      return x * weights / sum(x * weights, axis(1, 2), keepdims);
    };
    CHECK(are_found(shares(take(table, ids, axis(0)))));
    const Tensor<float, Cuda> y = shares(take(table, ids, axis(0)));
    const Tensor<float, Cuda> products = picked * weights;
    const Tensor<float, Cuda> expected = products / sum(products, axis(1, 2), keepdims).eval();
    CHECK(max(abs(y - expected)).item() < 1e-6F);
  }
}

TEST_CASE("[gpu] every kind of statement reads the rows that indices name") {
  const auto table = table_of(11, 64);
  const auto ids = weft::tensor({{4, 0, -1}, {4, 10, 7}}, Cuda{});
  const auto others = weft::tensor({{1, 2, 3}, {9, 9, 0}}, Cuda{});
  const Tensor<float, Cuda> p = take(table, ids, axis(0));
  const Tensor<float, Cuda> q = take(table, others, axis(0));
  const auto same = [&](const char* what, const auto& f) {
    CAPTURE(what);
    const Tensor<float, Cuda> got = f(take(table, ids, axis(0)), take(table, others, axis(0)));
    const Tensor<float, Cuda> wanted = f(p, q);
    CHECK(got.shape() == wanted.shape());
    CHECK(max(abs(got - wanted)).item() < 1e-5F);
  };
  same("let", [](const auto& x, const auto&) {
    return let(x, [](auto v) { return v - mean(v, axis(-1), keepdims); });
  });
  same("a reduction alone", [](const auto& x, const auto&) { return max(x, axis(-1)); });
  same("of a formula", [](const auto& x, const auto&) { return mean(exp(x + 1) * 2, axis(-1)); });
  same("inside a reduction",
       [](const auto& x, const auto&) { return sum(softmax(x, axis(-1)) * square(x), axis(-1)); });
  same("under conditions", [](const auto& x, const auto& y) {
    return softmax(where(x < y, x, y * 0.5F), axis(-1)) + max(y, axis(-1), keepdims);
  });
  same("two softmaxes",
       [](const auto& x, const auto& y) { return softmax(x, axis(-1)) - softmax(y, axis(-1)); });
  same("down the columns",
       [](const auto& x, const auto& y) { return x - mean(y, axis(0, 1), keepdims); });
  same("positions",
       [](const auto& x, const auto& y) { return weft::cast<float>(argmax(x - y, axis(-1))); });
  same("broadcast", [](const auto& x, const auto& y) {
    return x(0) * sum(y, axis(-1), keepdims) + max(x, axis(-1), keepdims);
  });
  const auto [centred, weights] = fuse(p - mean(take(table, ids, axis(0)), axis(-1), keepdims),
                                       softmax(take(table, others, axis(0)), axis(-1)));
  const Tensor<float, Cuda> wanted = p - mean(p, axis(-1), keepdims);
  CHECK(max(abs(centred - wanted)).item() < 1e-5F);
  const Tensor<float, Cuda> rest = softmax(q, axis(-1));
  CHECK(max(abs(weights - rest)).item() < 1e-6F);
}

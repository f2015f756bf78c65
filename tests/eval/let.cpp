// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/let.hpp>

#include "test.hpp"
#include "weft/explain.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {
struct Counted {
  long* calls;
  float operator()(float x) const {
    ++*calls;
    return x + 1;
  }
};
}  // namespace

TEST_CASE_TEMPLATE("let: the formula's values, beside other operands and numbers", D,
                   TEST_DEVICES) {
  const auto x = (arange<float>(12) - 5).reshape({3, 4}).to(D{});
  const auto b = tensor<float>({1, 2, 3, 4}).to(D{});
  const auto column = tensor<float>({1, 10, 100}).reshape({3, 1}).to(D{});
  const Tensor<float, D> y =
      let(x + b, [&](auto t) { return where(t > 2, t * b - 1, 2.F * t) + column * t; });
  const Tensor<bool, D> near = let(x * x, [](auto t) { return t > 1 && t < 20; });
  const auto got = y.to_vector();
  const auto is_near = near.to_vector();
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 4; ++j) {
      const auto at = static_cast<std::size_t>(4 * i + j);
      const float v = static_cast<float>(4 * i + j - 5);
      const float t = v + static_cast<float>(j + 1);
      const float c = i == 0 ? 1.F : i == 1 ? 10.F : 100.F;
      CHECK(got[at] == (t > 2 ? t * static_cast<float>(j + 1) - 1 : 2 * t) + c * t);
      CHECK(is_near[at] == (v * v > 1 && v * v < 20));
    }
  }
  CHECK(equal(let(x(0), [](auto t) { return t; }), x(0)));
  const Tensor<int, D> k = let(arange<int>(5, D{}) - 2, [](auto t) { return t * t + t % 3; });
  CHECK(equal(
      k, (arange<int>(5, D{}) - 2) * (arange<int>(5, D{}) - 2) + (arange<int>(5, D{}) - 2) % 3));
  const auto h = cast<weft::half>(x).eval();
  CHECK(
      equal(let(h * 2, [](auto t) { return t * t - t; }).eval(), (h * 2 * (h * 2) - h * 2).eval()));
}

TEST_CASE("let: what is bound is one value by type, whose operands are read once") {
  const auto x = ones({40, 50});
  const auto q = ones({50});
  const auto formula = [&](auto t) { return t * tanh(t) + t / (1 + exp(t)); };
  using E = decltype(let(x * x + q, formula));
  CHECK(detail::operand_count<E> == 3);
  CHECK(detail::operand_count<decltype(formula(x * x + q))> == 12);
  const Explanation e = explain(let(x * x + q, formula));
  CHECK(e.kernel_count() == 1);
  CHECK(e.kernels[0].reads[0].occurrences == 2);
  CHECK(doctest::String(to_string(e).c_str()) ==
        doctest::Contains("let(add(mul(float, float), float))"));
  long calls = 0;
  const Tensor<float> y = let(map(Counted{&calls}, x), [](auto t) { return t * t + t; });
  CHECK(calls == 2000);
  CHECK(y(3, 4).item() == 6);
}

TEST_CASE_TEMPLATE("let: in row programs, around them, and in another let", D, TEST_DEVICES) {
  const auto x = (arange<float>(4 * 96) % 17.F * 0.25F - 2.F).reshape({4, 96}).to(D{});
  const auto w = (arange<float>(96) * 0.01F).to(D{});
  const auto gate = [](auto t) { return t * sigmoid(t); };
  const auto plain = [&](const auto& e) { return e * sigmoid(e); };
  CHECK(allclose(softmax(let(x + w, gate)), softmax(plain(x + w)).eval()));
  CHECK(allclose(sum(let(x + w, gate), axis(0)), sum(plain(x + w), axis(0)).eval()));
  CHECK(allclose(let(softmax(x) + w, gate), plain(softmax(x) + w).eval()));
  CHECK(allclose(let(x + w, [](auto t) { return t - mean(t, axis(-1), keepdims); }),
                 (x + w - mean(x + w, axis(-1), keepdims)).eval()));
  CHECK(allclose(
      let(x, [&](auto t) { return t * let(exp(t), [&](auto u) { return u / (u + t * t); }); }),
      (x * exp(x) / (exp(x) + x * x)).eval()));
  // The inner one binds another value of the same type.
  CHECK(allclose(
      let(x * 2, [&](auto t) { return let(x * 3, [&](auto u) { return u - t + u * t; }); }),
      (x + 6 * x * x).eval()));
  Tensor<float, D> z = empty<float>({4, 96}, D{});
  Tensor<float, D> v = empty<float>({4, 96}, D{});
  tie(z, v) = fuse(let(x + w, gate), let(x - w, gate));
  CHECK(allclose(v, plain(x - w).eval()));
  z += let(x, [](auto t) { return cast<float>(t > 0) * t; });
  CHECK(allclose(z, (plain(x + w) + relu(x)).eval()));
  CHECK_SAYS("shapes do not broadcast", let(x, [&](auto t) { return t * ones({5}, D{}); }));
}

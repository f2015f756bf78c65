// SPDX-License-Identifier: Apache-2.0
#include "weft/autograd/expression/let.hpp"

#include "hessians.hpp"

using namespace weft;
using test::numbers;

namespace {
/// Checks that f(let, x, b) and f(without) have the same value and gradients.
template <class D, class F>
void same_gradients(const F& f) {
  const auto bind = [](const auto& e, const auto& g) { return let(e, g); };
  const auto repeat = [](const auto& e, const auto& g) { return g(e); };
  const auto run = [&](const auto& binder) {
    const Var x = parameter(numbers<D>({5, 7}));
    const Var b = parameter(numbers<D>({7}, 0.4));
    const Var y = f(binder, x, b);
    (y * numbers<D>({5, 7}, 0.9)).backward(numbers<D>({5, 7}, 1.3));
    return make_pack(y.detach(), x.grad(), b.grad());
  };
  const auto got = run(bind);
  const auto expected = run(repeat);
  CHECK(allclose(get<0>(got), get<0>(expected)));
  CHECK(allclose(get<1>(got), get<1>(expected)));
  CHECK(allclose(get<2>(got), get<2>(expected)));
}
}  // namespace

TEST_CASE_TEMPLATE("gradients through let are those of the formula written out", D, TEST_DEVICES) {
  same_gradients<D>([](const auto& bind, const auto& x, const auto& b) {
    return bind(x * b + x, [&](auto t) { return where(t > 0.2, t * sigmoid(t) * b, exp(t)) - t; });
  });
  same_gradients<D>([](const auto& bind, const auto& x, const auto& b) {
    return softmax(bind(x + b, [](auto t) { return t * tanh(t); })) + bind(b, [&](auto t) {
             return t * bind(exp(t) + x, [&](auto u) { return log(u * u + t * t + 1); });
           });
  });
}

TEST_CASE_TEMPLATE("let under hvp, and where no gradient flows", D, TEST_DEVICES) {
  const auto x = numbers<D>({6});
  const auto v = numbers<D>({6}, 1);
  const auto h =
      hvp([](const auto& p) { return sum(let(p * p, [](auto t) { return t * exp(t); })); }, x, v);
  const auto expected = hvp([](const auto& p) { return sum(p * p * exp(p * p)); }, x, v);
  CHECK(allclose(h.product, expected.product));
  const Var p = parameter(x.clone());
  const auto above = let(p * 2, [](auto t) { return t * t > 1; });
  CHECK(std::is_same_v<decltype(above.eval()), Tensor<bool, D>>);
}

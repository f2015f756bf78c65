#include "weft/autograd/shape/join.hpp"

#include "gradients.hpp"
#include "weft/ops/shape/stack.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("each part gets its part of the gradient", D, TEST_DEVICES) {
  using V = Var<double, D>;
  const V a = parameter(numbers<D>({2, 3}));
  const V b = parameter(numbers<D>({2, 1}, 1));
  const V fixed = numbers<D>({2, 2}, 2);
  const auto joined = [&](const V& x, const V& y) {
    return Var(exp(cat(std::vector<V>{x, y, fixed, x}, axis(1))));
  };
  CHECK(joined(a, b).shape() == Shape{2, 9});
  CHECK(gradcheck(joined, a, b));
  CHECK(gradcheck([](const V& x) { return stack(std::vector<V>{x, x * 2.0}, axis(1)); }, a));
  // A tensor before a Var, by every name.
  const Tensor<double, D> t = numbers<D>({2, 3}, 4);
  CHECK(gradcheck([&](const V& x) -> V { return cat(t, x * 2.0, axis(1)); }, a));
  CHECK(gradcheck([&](const V& x) -> V { return stack(t * 2.0, x, axis(0)); }, a));
  CHECK(gradcheck([&](const V& x) -> V { return hstack(t, x); }, a));
  CHECK_FALSE(cat(std::vector<V>{fixed, fixed}, axis(0)).requires_grad());
}

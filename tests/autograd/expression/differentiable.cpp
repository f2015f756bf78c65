#include "weft/autograd/expression/differentiable.hpp"

#include "gradients.hpp"

WEFT_UNARY(rough, Floating, x + T(1), none)

using namespace weft;
using autograd::is_differentiable;

namespace {
template <class E>
constexpr bool differentiable(const E&) {
  return is_differentiable<E>;
}
struct Halved {
  WEFT_HD float operator()(float x) const { return x / 2; }
};
}  // namespace

TEST_CASE("which expressions have gradients") {
  const Var x = ones({2});
  const Tensor t = ones({2});
  CHECK(differentiable(x));
  CHECK(differentiable(exp(x) * t + sum(x)));
  CHECK(differentiable(where(x > 0, x, 0)));
  CHECK(differentiable(floor(x)));
  CHECK(differentiable(cast<int>(x)));
  CHECK(differentiable(rough(t) * x));
  CHECK_FALSE(differentiable(rough(x) * t));
  CHECK_FALSE(differentiable(sum(exp(rough(x)))));
  CHECK_FALSE(differentiable(map(Halved{}, x)));
}

#include "weft/dist/differentiable.hpp"

#include "test.hpp"
#include "weft/autograd.hpp"

using namespace weft;

TEST_CASE("sums over one rank pass values and gradients") {
  const dist::Group g;
  const Var<float> x = parameter(tensor({1.0F, 2.0F}));
  const Var<float> y =
      dist::sum_over_ranks(g, x) + dist::copy_to_ranks(g, x) + dist::reduce_from_ranks(g, x);
  CHECK(equal(y.value(), tensor({3.0F, 6.0F})));
  Var(sum(y)).backward();
  CHECK(equal(x.grad(), tensor({3.0F, 3.0F})));
}

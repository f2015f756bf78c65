#include "weft/autograd/mode.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE("guards nest, and end with their scope") {
  CHECK(is_grad_enabled());
  {
    const NoGrad outer;
    CHECK_FALSE(is_grad_enabled());
    {
      const EnableGrad inner;
      CHECK(is_grad_enabled());
    }
    CHECK_FALSE(is_grad_enabled());
  }
  CHECK(is_grad_enabled());
  CHECK_FALSE(autograd::state::checks);
  {
    const AnomalyMode guard;
    CHECK(autograd::state::checks);
  }
  CHECK_FALSE(autograd::state::checks);
}

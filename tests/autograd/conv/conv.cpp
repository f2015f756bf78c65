#include "weft/autograd/conv/conv.hpp"

#include "gradients.hpp"
#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("gradients of convolutions are differences", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({2, 4, 5, 4}));
  const Var w = parameter(test::numbers<D>({4, 2, 3, 2}, 0.3));
  const Var b = parameter(test::numbers<D>({4}, 0.7));
  const ConvOptions o{.stride = {2, 1}, .padding = 1, .groups = 2};
  CHECK(gradcheck([&](const auto& a, const auto& k, const auto& s) { return conv2d(a, k, s, o); },
                  x, w, b));
  const ConvTransposeOptions back{.stride = 2, .padding = 1, .groups = 2};
  CHECK(
      gradcheck([&](const auto& a, const auto& k) { return conv_transpose2d(a, k, back); }, x, w));
}

TEST_CASE_TEMPLATE("only what asks for a gradient gets one", D, TEST_DEVICES) {
  const auto x = test::numbers<D>({1, 2, 4, 4});
  const Var w = parameter(test::numbers<D>({3, 2, 3, 3}));
  const Var y = conv2d(x, w);
  CHECK(y.requires_grad());
  const Var loss = sum(y);
  loss.backward();
  CHECK(w.grad().shape() == w.shape());
  const NoGrad guard;
  CHECK(!conv2d(x, w).requires_grad());
}

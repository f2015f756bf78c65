#include "weft/autograd/gradient_members.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("gradients add up over passes and statements", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4}, 1));
  CHECK_FALSE(x.has_grad());
  for (int pass = 1; pass <= 3; ++pass) {
    Var loss = sum(x * 3.0);
    loss.backward();
    CHECK(x.grad().to_vector() == std::vector<double>(4, 3.0 * pass));
  }
  x.zero_grad();
  CHECK_FALSE(x.has_grad());
  const Var a = x * 2.0;
  const Var b = a + x;
  const Var loss = sum(a * b);  // 6 x x
  loss.backward();
  const auto values = x.detach().to_vector();
  const auto gradient = x.grad().to_vector();
  for (std::size_t i = 0; i < values.size(); ++i) {
    CHECK(gradient[i] == doctest::Approx(12 * values[i]));
  }
}

TEST_CASE_TEMPLATE("a graph is passed once, unless it is retained", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}, 1));
  const Var h = x * 2.0;
  h.retain_grad();
  const Var y = sum(h * h);
  y.backward(retain);
  CHECK(h.grad().to_vector()[0] == doctest::Approx(2 * h.detach().to_vector()[0]));
  const double once = x.grad().to_vector()[0];
  y.backward();
  CHECK(x.grad().to_vector()[0] == doctest::Approx(2 * once));
  CHECK_SAYS("was passed a second time", y.backward());
  CHECK_SAYS("backward(retain)", y.backward());
  CHECK_SAYS("expected one element: give the gradient", h.backward());
  CHECK_SAYS("a gradient of shape (3,) for (2,)", h.backward(ones<double>({3}, D{})));
}

TEST_CASE_TEMPLATE("hooks see complete gradients", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}, 1));
  int calls = 0;
  int accumulated = 0;
  x.register_hook([&](const Tensor<double, D>& g) {
    ++calls;
    return Tensor<double, D>(g * 10.0);
  });
  x.register_post_accumulate_grad_hook([&](const Tensor<double, D>&) { ++accumulated; });
  const Var y = sum(x * 2.0) + sum(x * 3.0);
  y.backward();
  CHECK(calls == 1);
  CHECK(accumulated == 1);
  CHECK(x.grad().to_vector() == std::vector<double>(2, 50));
}

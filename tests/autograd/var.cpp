#include "weft/autograd/var.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("a statement's gradients are its derivatives", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2, 3}, 0.5));
  const Var y = parameter(numbers<D>({2, 3}, -0.3));
  const Var z = tanh(x * y) + x * x;
  CHECK(z.requires_grad());
  CHECK_FALSE(z.is_leaf());
  z.backward(ones<double>({2, 3}, D{}));
  const auto xs = x.detach().to_vector();
  const auto ys = y.detach().to_vector();
  const auto dx = x.grad().to_vector();
  const auto dy = y.grad().to_vector();
  for (std::size_t i = 0; i < xs.size(); ++i) {
    const double t = std::tanh(xs[i] * ys[i]);
    CHECK(dx[i] == doctest::Approx((1 - t * t) * ys[i] + 2 * xs[i]));
    CHECK(dy[i] == doctest::Approx((1 - t * t) * xs[i]));
  }
}

TEST_CASE_TEMPLATE("the same Var in several places has one gradient", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3}, 1));
  const Var row = parameter(numbers<D>({3}, 2));
  const Var copy = x;
  const Var y = x * copy * x + row * row;
  y.expand({2, 3}).backward(ones<double>({2, 3}, D{}));
  const auto values = x.detach().to_vector();
  const auto gradient = x.grad().to_vector();
  const auto rows = row.detach().to_vector();
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(gradient[i] == doctest::Approx(2 * 3 * values[i] * values[i]));
    CHECK(row.grad().to_vector()[i] == doctest::Approx(2 * 2 * rows[i]));
  }
  CHECK(copy.grad().data() == x.grad().data());
}

TEST_CASE_TEMPLATE("what wants no gradient gets none", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}, 1));
  const Var constant = numbers<D>({2}, 1);
  const Tensor<double, D> values_given = numbers<D>({2}, 1);
  CHECK_FALSE(constant.requires_grad());
  const Var product = constant * values_given;
  CHECK_FALSE(product.requires_grad());
  CHECK_SAYS("depends on nothing that requires a gradient", product.backward(values_given));
  Var y = sum(x * constant * values_given);
  y.backward();
  CHECK_FALSE(constant.has_grad());
  CHECK_SAYS("it does not require one", constant.grad());
  CHECK_SAYS("retain_grad()", y.grad());
  {
    const NoGrad guard;
    CHECK_FALSE(is_grad_enabled());
    const Var z = x * 2.0;
    CHECK_FALSE(z.requires_grad());
    const EnableGrad inner;
    const Var w = x * 2.0;
    CHECK(w.requires_grad());
  }
  CHECK(is_grad_enabled());
  Tensor<double, D> values = x.detach() * 2.0;
  CHECK(values.shape() == x.shape());
}

TEST_CASE_TEMPLATE("a write between the passes is found", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({2}, 1));
  const Var y = sum(exp(x) * x);
  CHECK_SAYS("that requires a gradient is not written in place", x.assign(x.detach() * 2.0));
  {
    const NoGrad guard;
    x.assign(x.detach() * 2.0);
  }
  CHECK_SAYS("sum(mul(exp(double), double))", y.backward());
  CHECK_SAYS("was written in place", y.backward());
  Var z = x * 1.0;
  z += x;
  CHECK(z.requires_grad());
  Var leaf = x;
  CHECK_SAYS("is not written in place", leaf += 1.0);
  const NoGrad guard;
  leaf -= 1.0;
  CHECK(leaf.detach().data() == x.detach().data());
}

TEST_CASE_TEMPLATE("a long chain is dropped without deep recursion", D, TEST_DEVICES) {
  Var x = parameter(numbers<D>({1}, 1));
  {
    Var y = x * 1.0;
    for (int i = 0; i < 20000; ++i) y = y * 1.0;
    CHECK(y.requires_grad());
  }
  CHECK_FALSE(x.has_grad());
}

TEST_CASE_TEMPLATE("no elements", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({0, 3}, D{}));
  const Var row = parameter(numbers<D>({3}, 1));
  const Var y = x * row;
  y.backward(zeros<double>({0, 3}, D{}));
  CHECK(x.grad().shape() == Shape{0, 3});
  CHECK(row.grad().to_vector() == std::vector<double>(3, 0));
}

TEST_CASE_TEMPLATE("half types are computed in float and kept in half", D, TEST_DEVICES) {
  const Var x = parameter(full<weft::half>({4, 8}, 3.0F, D{}));
  const Var b = parameter(full<weft::half>({8}, 1.0F, D{}));
  const Var loss = sum(x * b);
  loss.backward();
  static_assert(std::is_same_v<decltype(x.grad()), const Tensor<weft::half, D>&>);
  CHECK(static_cast<float>(x.grad().to_vector()[0]) == 1);
  CHECK(static_cast<float>(b.grad().to_vector()[7]) == 12);
}

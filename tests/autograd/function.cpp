#include "weft/autograd/function.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("one argument", D, TEST_DEVICES) {
  using T = Tensor<double, D>;
  const auto cube = [](const auto& x) {
    return custom([](const T& v) { return v * v * v; },
                  [](const T& g, const T&, const T& v) { return 3.0 * v * v * g; }, x);
  };
  const Var x = parameter(numbers<D>({2, 3}));
  CHECK(gradcheck(cube, x));
  CHECK(gradcheck([&](const auto& v) { return Var(cube(v * 2.0) + v); }, x));
}

TEST_CASE_TEMPLATE("several arguments, one of them without a gradient", D, TEST_DEVICES) {
  using T = Tensor<double, D>;
  const auto product = [](const auto& x, const auto& y) {
    return custom(
        [](const T& a, const T& b) { return a * b; },
        [](const T& g, const T&, const T& a, const T& b) { return std::tuple(g * b, g * a); }, x,
        y);
  };
  const Var x = parameter(numbers<D>({2, 3}));
  const Var y = parameter(numbers<D>({2, 3}, 1));
  CHECK(gradcheck(product, x, y));
  const T constant = numbers<D>({2, 3}, 2);
  CHECK(gradcheck([&](const auto& v) { return product(v, constant); }, x));
  const NoGrad guard;
  CHECK_FALSE(product(x, y).requires_grad());
}

TEST_CASE_TEMPLATE("a gradient of another shape is refused", D, TEST_DEVICES) {
  using T = Tensor<double, D>;
  const Var x = parameter(numbers<D>({2, 3}));
  const Var y = custom([](const T& v) { return v * 2.0; },
                       [](const T& g, const T&, const T&) { return sum(g); }, x);
  CHECK_SAYS("[custom] a gradient of shape () for an argument of shape (2, 3)",
             y.backward(ones<double>({2, 3}, D{})));
}

TEST_CASE_TEMPLATE("tensors beside the Vars may be written before the call, not after it", D,
                   TEST_DEVICES) {
  const auto product = [](const auto& w, const Tensor<float, D>& x) {
    return custom([](const auto& a, const auto& b) { return (a * b).eval(); },
                  [](const auto& g, const auto&, const auto& a, const auto& b) {
                    return std::tuple(g * b, g * a);
                  },
                  w, x);
  };
  const Var w = parameter(ones({3}, D{}));
  const Tensor written = ones({3}, D{});
  written += 1;
  sum(product(w, written)).eval().backward();
  CHECK(w.grad().to_vector() == std::vector<float>{2, 2, 2});
  const Tensor taken = ones({3}, D{}) * 2;  // in the memory of its operand
  sum(product(w, taken)).eval().backward();
  CHECK(w.grad().to_vector() == std::vector<float>{4, 4, 4});
  const Var late = sum(product(w, written));
  written += 1;
  CHECK_SAYS("was written in place after the statement read it", late.backward());
}

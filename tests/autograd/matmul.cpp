#include "weft/autograd/matmul.hpp"

#include "gradients.hpp"

#ifdef __CUDACC__
#include "weft/cuda/matmul.hpp"
#endif

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("products of all ranks, with batches that broadcast", D, TEST_DEVICES) {
  const auto f = [](const auto& a, const auto& b) { return Var(matmul(a, b)); };
  const Shape shapes[][2] = {
      {{2, 3}, {3, 4}},    {{3}, {3, 4}},       {{2, 3}, {3}},          {{3}, {3}},
      {{5, 2, 3}, {3, 4}}, {{2, 3}, {5, 3, 4}}, {{5, 2, 3}, {5, 3, 4}}, {{5, 1, 2, 3}, {6, 3, 4}},
      {{5, 2, 3}, {3}},    {{3}, {5, 3, 4}}};
  for (const auto& pair : shapes) {
    CAPTURE(pair[0].rank());
    CAPTURE(pair[1].rank());
    const Var a = parameter(numbers<D>(pair[0]));
    const Var b = parameter(numbers<D>(pair[1], 1));
    CHECK(gradcheck(f, a, b));
  }
}

TEST_CASE_TEMPLATE("products inside a statement", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var w = parameter(numbers<D>({2, 3}, 1));
  const Var b = parameter(numbers<D>({2}, 2));
  CHECK(gradcheck([](const auto&... v) { return Var(linear(v...)); }, x, w, b));
  CHECK(gradcheck([](const auto&... v) { return Var(tanh(linear(v...)) * 2.0); }, x, w, b));
  CHECK(gradcheck(
      [](const auto& v, const auto& u) { return Var(mean(square(matmul(v * v, u.t())))); }, x, w));
  CHECK(gradcheck([](const auto& v, const auto& u) { return softmax(matmul(v, u.t())); }, x, w));
  CHECK(gradcheck(
      [](const auto& v, const auto& u) { return Var(matmul(v, u.t()) + matmul(v, u.t())); }, x, w));
  const Tensor<double, D> constant = numbers<D>({3, 2});
  CHECK(gradcheck([&](const auto& v) { return Var(matmul(v, constant) * 2.0); }, x));
}

TEST_CASE_TEMPLATE("no rows", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({0, 3}, D{}));
  const Var w = parameter(numbers<D>({3, 2}));
  const Var y = matmul(x, w);
  y.backward(zeros<double>({0, 2}, D{}));
  CHECK(w.grad().to_vector() == std::vector<double>(6, 0));
  CHECK(x.grad().shape() == Shape{0, 3});
}

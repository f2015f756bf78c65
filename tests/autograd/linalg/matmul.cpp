#include "weft/autograd/linalg/matmul.hpp"
#include <weft/autograd/linalg/product_statement.hpp>

#include "gradients.hpp"

#include <algorithm>
#include <string>

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

TEST_CASE_TEMPLATE("a layer and a shortcut are one statement", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({4, 3}));
  const Var w = parameter(numbers<D>({2, 3}, 1));
  const Var b = parameter(numbers<D>({2}, 2));
  const Var r = parameter(numbers<D>({4, 2}, 3));
  const auto behind = [](const auto& v, const auto& u, const auto& c, const auto& s) {
    return Var(linear(v, u, c) + s);
  };
  const auto before = [](const auto& v, const auto& u, const auto& c, const auto& s) {
    return Var(s + linear(v, u, c));
  };
  CHECK(gradcheck(behind, x, w, b, r));
  CHECK(gradcheck(before, x, w, b, r));
  CHECK(gradcheck(behind, x, w, b, parameter(numbers<D>({2}, 3))));
  CHECK(gradcheck(behind, x, w, b, parameter(numbers<D>({5, 4, 2}, 3))));
  CHECK(gradcheck([](const auto&... v) { return Var(tanh(linear(v...)) * 2.0); }, x, w, b));
  CHECK(gradcheck([&](const auto& v, const auto& s) { return Var(linear(v, s, s(0)) + v); }, r,
                  parameter(numbers<D>({2, 2}, 4))));
  const Tensor<double, D> constant = numbers<D>({4, 2});
  CHECK(gradcheck([&](const auto&... v) { return Var(constant + linear(v...)); }, x, w, b));
  CHECK(gradcheck(
      [&](const auto& v, const auto& s) { return Var(linear(v * v, w.detach(), b.detach()) + s); },
      x, r));
  const Var y = linear(x, w, b) + r;
  CHECK(allclose(y.value(), (linear(x.value(), w.value(), b.value()).eval() + r.value()).eval()));
}

TEST_CASE_TEMPLATE("no rows", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({0, 3}, D{}));
  const Var w = parameter(numbers<D>({3, 2}));
  const Var y = matmul(x, w);
  y.backward(zeros<double>({0, 2}, D{}));
  CHECK(w.grad().to_vector() == std::vector<double>(6, 0));
  CHECK(x.grad().shape() == Shape{0, 3});
}

TEST_CASE_TEMPLATE("no columns", D, TEST_DEVICES) {
  for (const Shape& shape : {Shape{2, 0}, Shape{5, 2, 0}, Shape{0}, Shape{3, 0, 2, 0}}) {
    const Var x = parameter(zeros<double>(shape, D{}));
    const Var w = parameter(zeros<double>({0, 3}, D{}));
    const Var y = matmul(x, w);
    CHECK(sum(square(y)).item() == 0);
    y.backward(ones<double>(y.shape(), D{}));
    CHECK(x.grad().shape() == shape);
    CHECK(w.grad().shape() == Shape{0, 3});
  }
}

TEST_CASE_TEMPLATE("the gradient of a linear layer's weight, which lies transposed", D,
                   TEST_DEVICES) {
  const auto f = [](const auto& x, const auto& w, const auto& b) {
    return Var(linear(x, w, b) + tanh(linear(x, w)));  // the same weight twice
  };
  const Var w = parameter(numbers<D>({2, 3}, 1));
  const Var b = parameter(numbers<D>({2}, 2));
  for (const Shape& shape : {Shape{3}, Shape{4, 3}, Shape{5, 4, 3}, Shape{1, 3}}) {
    CAPTURE(shape.rank());
    CHECK(gradcheck(f, parameter(numbers<D>(shape)), w, b));
  }
  CHECK(gradcheck([&](const auto& v) { return Var(linear(b, v * 2.0)); },
                  parameter(numbers<D>({4, 2}, 3))));

  const Var x = numbers<D>({4, 3});
  const auto pass = [&](const auto&... options) {
    const Var y = linear(x, w);
    y.backward(ones<double>({4, 2}, D{}), options...);
    return y;
  };
  w.zero_grad();
  pass();
  const Tensor once = w.grad().clone();
  CHECK(allclose(once, matmul(ones<double>({2, 4}, D{}), x.detach())));
  pass();  // adds
  CHECK(allclose(w.grad(), once * 2.0));
  const Var y = pass(retain);
  y.backward(ones<double>({4, 2}, D{}));
  CHECK(allclose(w.grad(), once * 4.0));
  {
    const AnomalyMode guard;
    w.zero_grad();
    pass();
    CHECK(allclose(w.grad(), once));
  }
  w.register_hook([](const auto& g) { return Tensor<double, D>(g * 10.0); });
  w.zero_grad();
  pass();
  CHECK(allclose(w.grad(), once * 10.0));
}

namespace {
/// "w" where the hook of w is called, "x" before it where x has its gradient by then.
template <class D>
void watch(const Var<float, D>& v, char name, const Var<float, D>& x, std::string& order,
           bool early) {
  v.register_post_accumulate_grad_hook([&order, &x, name](const Tensor<float, D>&) {
    if (x.variable()->has_gradient) order += 'x';
    order += name;
  });
  v.variable()->accumulated_hooks.back()->reads_gradient_only = early;
}
}  // namespace

TEST_CASE_TEMPLATE("a weight whose hooks read its gradient alone is complete before the input", D,
                   TEST_DEVICES) {
  using V = Var<float, D>;
  Generator generator(3);
  const Tensor<float, D> of_x = randn({5, 3}, Cpu{}, generator).to(D{});
  const Tensor<float, D> of_w = randn({4, 3}, Cpu{}, generator).to(D{});
  const Tensor<float, D> of_b = randn({4}, Cpu{}, generator).to(D{});
  const auto once = [](const V& x, const V& w, const V& b) {
    const V y = linear(x, w, b);
    V(sum(square(y))).backward();
  };
  const auto twice = [](const V& x, const V& w, const V& b) {  // in one pass
    const V y = linear(x, w, b);
    const V z = linear(x, w, b);
    V(sum(square(y) + y * z)).backward();
  };
  const V u = parameter(of_x.clone()), v = parameter(of_w.clone()), c = parameter(of_b.clone());
  once(u, v, c);
  twice(u, v, c);
  for (const bool early : {false, true}) {
    CAPTURE(early);
    std::string order;
    const V x = parameter(of_x.clone()), w = parameter(of_w.clone()), b = parameter(of_b.clone());
    watch(w, 'w', x, order, early);
    watch(b, 'b', x, order, early);
    once(x, w, b);
    CHECK(std::count(order.begin(), order.end(), 'x') == (early ? 0 : 2));
    CHECK(order.size() == (early ? 2 : 4));
    order.clear();
    twice(x, w, b);
    CHECK(std::count(order.begin(), order.end(), 'w') == 1);
    CHECK(std::count(order.begin(), order.end(), 'b') == 1);
    CHECK(allclose(x.grad(), u.grad()));
    CHECK(allclose(w.grad(), v.grad()));
    CHECK(allclose(b.grad(), c.grad()));

    // With one that may write the weight, all wait for the input.
    const V fresh = parameter(of_x.clone()), weight = parameter(of_w.clone());
    order.clear();
    watch(weight, 'w', fresh, order, early);
    weight.register_post_accumulate_grad_hook(
        [&](const Tensor<float, D>&) { weight.detach().fill(0.0F); });
    once(fresh, weight, parameter(of_b.clone()));
    CHECK(order == "xw");
    const V same = parameter(of_x.clone());
    once(same, parameter(of_w.clone()), parameter(of_b.clone()));
    CHECK(equal(fresh.grad(), same.grad()));
  }
}

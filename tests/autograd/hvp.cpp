#include "weft/autograd/hvp.hpp"

#include "hessians.hpp"

using namespace weft;
using test::hvp_agrees;
using test::numbers;

TEST_CASE_TEMPLATE("hvp: a quadratic form, and the sum of exponentials", D, TEST_DEVICES) {
  const auto x = numbers<D>({5});
  const auto v = numbers<D>({5}, 1);
  const auto a = numbers<D>({5, 5});
  const auto form = hvp([&](const auto& p) { return 0.5 * sum(p * matmul(a, p)); }, x, v);
  CHECK(allclose(form.product, 0.5 * matmul(a + a.t(), v)));
  CHECK(allclose(form.gradient, 0.5 * matmul(a + a.t(), x)));
  const auto [value, gradient, product] = hvp([](const auto& p) { return sum(exp(p)); }, x, v);
  CHECK(allclose(value, sum(exp(x)).eval()));
  CHECK(allclose(gradient, exp(x)));
  CHECK(allclose(product, exp(x) * v));
  CHECK(product.is_contiguous());
}

TEST_CASE_TEMPLATE("hvp: logistic regression", D, TEST_DEVICES) {
  const auto data = numbers<D>({12, 4});
  const auto labels = cast<double>(numbers<D>({12}, 0.1) > 0.0).eval();
  const auto w = numbers<D>({4}, 0.3);
  const auto v = numbers<D>({4}, 1);
  const auto loss = [&](const auto& p) {
    const Var z = matmul(data, p);
    return mean(softplus(z) - labels * z);
  };
  const Tensor<double, D> s = sigmoid(matmul(data, w));
  const Tensor<double, D> curvature = s * (1.0 - s) * matmul(data, v);
  CHECK(allclose(hvp(loss, w, v).product, matmul(data.t(), curvature) / 12.0));
}

TEST_CASE_TEMPLATE("hvp: cross entropy of a softmax", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 5});
  const auto v = numbers<D>({3, 5}, 1);
  const auto targets = tensor<std::int64_t>({0, 4, 3}).to(D{});
  const auto loss = [&](const auto& p) { return cross_entropy(p, targets); };
  const Tensor<double, D> s = softmax(x);
  const Tensor<double, D> expected = s * (v - sum(s * v, axis(-1), keepdims)) / 3.0;
  CHECK(allclose(hvp(loss, x, v).product, expected));
  CHECK(allclose(hvp(loss, zeros_like(x), v).product, 0.2 / 3 * (v - mean(v, axis(-1), keepdims))));
  CHECK(hvp_agrees([&](const auto& p) { return sum(square(cross_entropy_rows(p, targets))); }, x));
}

TEST_CASE_TEMPLATE("hvp: element-wise operations", D, TEST_DEVICES) {
  const Tensor<double, D> x = numbers<D>({7}) + 0.04;
  CHECK(hvp_agrees(
      [](const auto& p) {
        return sum(tanh(p) * exp(-p) + log1p(square(p)) - gelu(p) / (p * p + 1.0) + silu(3.0 * p));
      },
      x));
  CHECK(hvp_agrees(
      [](const auto& p) {
        return sum(pow(p, 3.0) + pow(p, 2.0) + pow(1.7, p) + sqrt(p + 2.0) * softplus(p, 0.5));
      },
      x));
  CHECK(hvp_agrees(
      [](const auto& p) {
        const auto chosen = where(p > 0.2, log(p), p * p * p) * clamp(exp(p), 0.5, 1.5);
        return sum(chosen + maximum(p, 0.1 * square(p)) * minimum(exp(p), 2.0 * p + 1.5));
      },
      x));
  CHECK(hvp_agrees(
      [](const auto& p) {
        return sum(lerp(p, exp(p), sin(p)) * atan2(p, abs(p) + lgamma(p + 3.0)));
      },
      x));
}

TEST_CASE_TEMPLATE("hvp: broadcasting, and operands that are constants", D, TEST_DEVICES) {
  const auto data = numbers<D>({4, 3});
  const Var weight = parameter(numbers<D>({3}, 1));
  const auto x = numbers<D>({3}, 0.4);
  CHECK(hvp_agrees([&](const auto& p) { return sum(tanh(data * p + p)); }, x));
  CHECK(hvp_agrees([&](const auto& p) { return sum(square(p * p) * (weight * 2.0)); }, x));
  CHECK(!weight.has_grad());
  CHECK(hvp_agrees([&](const auto& p) { return sum(where(data > 0.0, data, p * p)); }, x));
  // What is detached does not move: the derivative of p * c, c being the values of p, is c.
  const auto v = numbers<D>({3}, 1);
  const auto held = hvp([](const auto& p) { return sum(p * p.detach()); }, x, v);
  CHECK(allclose(held.gradient, x));
  CHECK(allclose(held.product, zeros_like(x)));
}

TEST_CASE_TEMPLATE("hvp: several inputs", D, TEST_DEVICES) {
  const Tensor<float, D> x = tensor({1.0F, 2.0F}).to(D{});
  const Var y = parameter(tensor({3.0F, -1.0F}).to(D{}));
  const Tensor<float, D> v = tensor({1.0F, 0.5F}).to(D{});
  const Tensor<float, D> w = tensor({-2.0F, 1.0F}).to(D{});
  const auto f = [](const auto& a, const auto& b) { return sum(a * a * b); };
  const auto found = hvp(f, std::tuple(x, y), std::tuple(v, w));
  CHECK(found.value.item() == 3 - 4);
  CHECK(allclose(std::get<0>(found.gradient), 2.0F * x * y.detach()));
  CHECK(allclose(std::get<1>(found.gradient), x * x));
  CHECK(allclose(std::get<0>(found.product), 2.0F * y.detach() * v + 2.0F * x * w));
  CHECK(allclose(std::get<1>(found.product), 2.0F * x * v));
  CHECK(!y.has_grad());
  const auto first = [](const auto& a, const auto&) { return sum(square(a)); };
  const auto part = hvp(first, std::tuple(x, y), std::tuple(v, w));
  CHECK(allclose(std::get<0>(part.product), 2.0F * v));
  CHECK(allclose(std::get<1>(part.product), zeros_like(w)));
}

TEST_CASE_TEMPLATE("hvp: a network with one hidden layer", D, TEST_DEVICES) {
  const auto data = numbers<D>({6, 3});
  const auto targets = tensor<std::int64_t>({0, 1, 2, 3, 0, 2}).to(D{});
  const auto loss = [&](const auto& w, const auto& b, const auto& u) {
    const Var h = tanh(linear(data, w, b));
    return cross_entropy(linear(h, u), targets);
  };
  const auto w = numbers<D>({5, 3}, 0.1);
  const auto b = numbers<D>({5}, 0.2);
  const auto u = numbers<D>({4, 5}, 0.3);
  const auto along_w = numbers<D>({5, 3}, 1);
  const auto along_b = numbers<D>({5}, 2);
  const auto along_u = numbers<D>({4, 5}, 3);
  const auto found = hvp(loss, std::tuple(w, b, u), std::tuple(along_w, along_b, along_u));
  const auto gradients = [&](double step) {
    const Var p = parameter((w + step * along_w).eval());
    const Var q = parameter((b + step * along_b).eval());
    const Var r = parameter((u + step * along_u).eval());
    return grad(loss(p, q, r), p, q, r);
  };
  const auto above = gradients(1e-5);
  const auto below = gradients(-1e-5);
  const auto compare = [&]<int I>() {
    const Tensor<double, D> expected = (std::get<I>(above) - std::get<I>(below)) / 2e-5;
    CHECK(allclose(std::get<I>(found.product), expected, {1e-6, 1e-7}));
    CHECK(allclose(std::get<I>(found.gradient), std::get<I>(gradients(0))));
  };
  compare.template operator()<0>();
  compare.template operator()<1>();
  compare.template operator()<2>();
  // The Hessian is symmetric.
  const auto other = hvp(loss, std::tuple(w, b, u), std::tuple(w, b, u));
  const auto inner = [](const auto& x, const auto& y) {
    return Tensor<double, D>(sum(x * y)).item();
  };
  const auto product = [&](const auto& x, const auto& y) {
    return inner(std::get<0>(x), std::get<0>(y)) + inner(std::get<1>(x), std::get<1>(y)) +
           inner(std::get<2>(x), std::get<2>(y));
  };
  CHECK(product(found.product, std::tuple(w, b, u)) ==
        doctest::Approx(product(other.product, std::tuple(along_w, along_b, along_u))));
}

TEST_CASE_TEMPLATE("hvp: inside NoGrad, through a checkpoint, and bad input", D, TEST_DEVICES) {
  const auto x = numbers<D>({4}, 0.4);
  const auto v = numbers<D>({4}, 1);
  const auto cube = [](const auto& p) { return sum(p * p * p); };
  const NoGrad guard;
  CHECK(allclose(hvp(cube, x, v).product, 6.0 * x * v));
  CHECK(!is_grad_enabled());
  const auto twice = [&](const auto& p) {
    const auto inner = [](const auto& q) { return Var(q * q * q); };
    return sum(checkpoint(inner, p));
  };
  CHECK(allclose(hvp(twice, x, v).product, 6.0 * x * v));
  const auto constant = [](const auto& p) {
    const NoGrad inside;
    return Var(sum(p));
  };
  const auto still = hvp(constant, x, v);
  CHECK(allclose(still.product, zeros_like(x)));
  CHECK(allclose(still.gradient, zeros_like(x)));
  CHECK_SAYS("[hvp] a vector of shape (3,) for an input of shape (4,)",
             hvp(cube, x, numbers<D>({3})));
  CHECK_SAYS("[hvp] f gave a Var of shape (4,), expected one element",
             hvp([](const auto& p) { return p * p; }, x, v));
}

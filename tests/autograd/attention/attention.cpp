#include "weft/autograd/attention/attention.hpp"

#include "sequence.hpp"

using namespace weft;
using test::numbers;
using test::sequence;

namespace {
template <class D>
void check(const std::string& name, const AttentionOptions<double, D>& options) {
  CAPTURE(name);
  const std::string at = "attention." + name;
  const Var q = test::sequence_input<D>(at + ".q");
  const Var k = test::sequence_input<D>(at + ".k");
  const Var v = test::sequence_input<D>(at + ".v");
  const Var y = scaled_dot_product_attention(q, k, v, options);
  CHECK(test::matches<D>(y.detach(), at + ".y", 1e-12));
  test::weighted(y).backward();
  CHECK(test::matches<D>(q.grad(), at + ".dq"));
  CHECK(test::matches<D>(k.grad(), at + ".dk"));
  CHECK(test::matches<D>(v.grad(), at + ".dv"));
}
}  // namespace

TEST_CASE_TEMPLATE("attention and its gradients are PyTorch's", D, TEST_DEVICES) {
  check<D>("plain", {});
  check<D>("scaled", {.scale = 0.3});
  check<D>("causal", {.causal = true});
  check<D>("late", {.causal = true, .past = 2});
  check<D>("masked", {.mask = test::sequence_mask<D>("attention.masked.allowed")});
  check<D>("added", {.mask = sequence<D>("attention.added.added")});
  check<D>("grouped", {.enable_gqa = true});
}

TEST_CASE_TEMPLATE("attention over many blocks is that of the formula", D, TEST_DEVICES) {
  const Var q = parameter(numbers<D>({1, 2, 130, 20}));
  const Var k = parameter(numbers<D>({1, 2, 150, 20}, 0.3));
  const Var v = parameter(numbers<D>({1, 2, 150, 70}, 0.1));
  const Tensor<bool, D> allowed =
      arange<int64_t>(130, D{}).unsqueeze(1) + 10 >= arange<int64_t>(150, D{});
  const auto formula = [&] {
    const Var scores = matmul(q, k.transpose(-1, -2)) / std::sqrt(20.0);
    return Var(matmul(softmax(where(allowed, scores, -1e300)), v));
  };
  const Var expected = formula();
  const Var y = scaled_dot_product_attention(q, k, v, {.causal = true, .past = 10});
  CHECK(allclose(y.detach(), expected.detach(), {1e-10, 1e-10}));
  const auto g = numbers<D>(y.shape(), 0.2);
  expected.backward(g);
  const Tensor<double, D> grads[] = {q.grad(), k.grad(), v.grad()};
  for (const auto& x : {q, k, v}) x.zero_grad();
  y.backward(g);
  CHECK(allclose(q.grad(), grads[0], {1e-9, 1e-9}));
  CHECK(allclose(k.grad(), grads[1], {1e-9, 1e-9}));
  CHECK(allclose(v.grad(), grads[2], {1e-9, 1e-9}));
}

TEST_CASE_TEMPLATE("attention of a tensor with itself, of views, and of half types", D,
                   TEST_DEVICES) {
  // (batch, length, head, width), as a projection gives it
  const Var x = parameter(numbers<D>({2, 9, 2, 4}));
  const auto self = [](const auto& v) {
    const Var h = v.transpose(1, 2);
    return scaled_dot_product_attention(h, h, h, {.causal = true});
  };
  CHECK(gradcheck(self, x));
  CHECK(self(x).detach().transpose(1, 2).is_contiguous());
  const Tensor<double, D> wide = numbers<D>({2, 2, 70, 64});
  const Tensor<bfloat16, D> narrow = cast<bfloat16>(wide);
  const Tensor<double, D> rounded = cast<double>(narrow);
  const Var p = parameter(rounded);
  const Var h = parameter(narrow);
  const Var expected = scaled_dot_product_attention(p, p, p, {.causal = true});
  const Var y = scaled_dot_product_attention(h, h, h, {.causal = true});
  CHECK(allclose(cast<double>(y.detach()), expected.detach(), {2e-2, 2e-2}));
  expected.backward(wide);
  y.backward(narrow);
  CHECK(allclose(cast<double>(h.grad()), p.grad(), {5e-2, 5e-2}));
}

TEST_CASE_TEMPLATE("attention's dropout keeps the mean, and its gradient the same weights", D,
                   TEST_DEVICES) {
  const Var q = parameter(zeros<double>({1, 1, 40, 4}, D{}));
  const Var k = parameter(zeros<double>({1, 1, 50, 4}, D{}));
  const Var v = parameter(eye<double>(50, D{}).reshape({1, 1, 50, 50}));
  const Var y = scaled_dot_product_attention(q, k, v, {.dropout = 0.25});  // the weights
  const Tensor<double, D> w = y.detach().reshape({40, 50});
  CHECK(mean(cast<double>(w == 0.0)).item() == doctest::Approx(0.25).epsilon(0.15));
  CHECK(max(w).item() == doctest::Approx(1 / (50 * 0.75)));
  const auto g = numbers<D>({1, 1, 40, 50});
  y.backward(g);
  CHECK(allclose(v.grad().reshape({50, 50}), matmul(w.t(), g.reshape({40, 50})), {1e-9, 1e-9}));
  CHECK(max(abs(q.grad())).item() == doctest::Approx(0.0));
  const auto seeded = [](const auto& a, const auto& b, const auto& c) {
    manual_seed(5);
    return scaled_dot_product_attention(a, b, c, {.dropout = 0.4});
  };
  CHECK(gradcheck(seeded, parameter(numbers<D>({1, 2, 3, 4})),
                  parameter(numbers<D>({1, 2, 5, 4}, 1)), parameter(numbers<D>({1, 2, 5, 2}))));
}

TEST_CASE_TEMPLATE("queries that may attend to nothing, and nothing at all", D, TEST_DEVICES) {
  const Var q = parameter(numbers<D>({1, 1, 2, 3}));
  const Var k = parameter(numbers<D>({1, 1, 4, 3}, 1));
  const Tensor<bool, D> mask = tensor({0, 1}).to(D{}).reshape({2, 1}) != 0;
  const Var y = scaled_dot_product_attention(q, k, k, {.mask = mask});
  CHECK(all(y.detach()(all, all, 0) == 0.0).item());
  CHECK(all(y.detach()(all, all, 1) != 0.0).item());
  y.backward(ones<double>(y.shape(), D{}));
  CHECK(all(q.grad()(all, all, 0) == 0.0).item());
  CHECK(all(isfinite(k.grad())).item());
  const Var none = scaled_dot_product_attention(q(all, all, slice(0, 0)), k, k);
  CHECK(none.shape() == Shape{1, 1, 0, 3});
  const Tensor<double, D> no_keys = zeros<double>({1, 1, 0, 3}, D{});
  CHECK(all(scaled_dot_product_attention(q.detach(), no_keys, no_keys) == 0.0).item());
}

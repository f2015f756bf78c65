#include "weft/autograd/autocast.hpp"

#include "gradients.hpp"
#ifdef __CUDACC__
#include "weft/cuda/attention.hpp"
#include "weft/cuda/conv.hpp"
#endif

using namespace weft;

namespace {
template <class D>
Var<float, D> numbers(const Shape& shape, double first = 0) {
  return parameter(cast<float>(test::numbers<D>(shape, first)).eval());
}
template <class H, class T, class D>
Tensor<float, D> rounded(const Tensor<T, D>& x) {
  return cast<float>(cast<H>(x).eval());
}

/// f in 16 bits is f of operands rounded to 16 bits, rounded; so are its gradients.
template <class H, class D, class F, class... Ds>
void compare(const char* name, const F& f, const Var<float, Ds>&... xs) {
  CAPTURE(name);
  Var<float, D> y;
  {
    const Autocast<H, D> guard;
    y = f(xs...);
  }
  const auto run = [&](const auto&... leaves) {
    const Var<float, D> expected = f(leaves...);
    const double close = std::is_same_v<H, bfloat16> ? 1e-2 : 1e-3;
    CHECK(allclose(y.detach(), expected.detach(), {close, close}));
    CHECK_FALSE(equal(y.detach(), expected.detach()));
    CHECK(equal(y.detach(), rounded<H>(y.detach())));
    const Tensor<float, D> g = rounded<H>(cos(expected.detach() * 3.0F).eval());
    y.backward(g);
    expected.backward(g);
    const auto same = [&](const auto& x, const auto& leaf) {
      CHECK(allclose(x.grad(), leaf.grad(), {2 * close, 4 * close}));
      // One that is read several times is a sum of numbers of 16 bits.
      if constexpr (sizeof...(xs) > 1) CHECK(equal(x.grad(), rounded<H>(x.grad())));
    };
    (same(xs, leaves), ...);
  };
  run(parameter(rounded<H>(xs.detach()))...);
}
}  // namespace

TEST_CASE_TEMPLATE("products in 16 bits, forward and back", D, TEST_DEVICES) {
  const auto a = numbers<D>({3, 5, 7});
  const auto b = numbers<D>({7, 4}, 0.1);
  compare<bfloat16, D>(
      "matmul", [](const auto& x, const auto& w) { return Var(matmul(x, w)); }, a, b);
  compare<weft::half, D>(
      "linear", [](const auto& x, const auto& w) { return Var(linear(x, w)); }, numbers<D>({3, 7}),
      numbers<D>({4, 7}, 0.1));
  const auto images = numbers<D>({2, 4, 5, 5});
  const auto filters = numbers<D>({6, 4, 3, 3}, 0.1);
  compare<bfloat16, D>(
      "conv2d", [](const auto& x, const auto& w) { return Var(conv2d(x, w, {.padding = 1})); },
      images, filters);
  const auto q = numbers<D>({1, 2, 5, 8});
  compare<bfloat16, D>(
      "attention",
      [](const auto& x) { return Var(scaled_dot_product_attention(x, x, x, {.causal = true})); },
      q);
  const auto rows = numbers<D>({2, 5, 8});
  compare<bfloat16, D>(
      "heads", [](const auto& x) { return multi_head_attention(x, x, x, HeadLayout{.heads = 2}); },
      rows);
}

TEST_CASE_TEMPLATE("so does a shortcut", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 7});
  const auto w = numbers<D>({4, 7}, 0.1);
  const auto b = numbers<D>({4}, 1e-4);
  const auto r = numbers<D>({3, 4}, 2e-4);
  const Autocast<bfloat16, D> guard;
  const Var y = linear(x, w);
  const Var z = r + linear(x, w, b);
  CHECK(equal(z.detach(), (y.detach() + b.detach() + r.detach()).eval()));
  CHECK_FALSE(equal(z.detach(), rounded<bfloat16>(z.detach())));
}

TEST_CASE_TEMPLATE("a bias and what follows stay float", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 7});
  const auto w = numbers<D>({4, 7}, 0.1);
  const auto b = numbers<D>({4}, 1e-4);
  const Autocast<bfloat16, D> guard;
  const Var y = linear(x, w);
  const Var z = relu(linear(x, w, b)) + 1e-6F;
  CHECK(allclose(z.detach(), relu(y.detach() + b.detach()) + 1e-6F, {1e-7, 1e-7}));
  const Var sums = sum(x * x);
  CHECK(sums.item() == doctest::Approx(sum(square(x.detach())).item()).epsilon(1e-7));
  z.backward(ones({3, 4}, D{}));
  CHECK(b.has_grad());
  CHECK(x.has_grad());
}

TEST_CASE_TEMPLATE("the guard is of its scope, its thread and its device", D, TEST_DEVICES) {
  const auto x = numbers<D>({3, 7});
  const auto w = numbers<D>({7, 4}, 0.1);
  const auto run = [&] { return Var(matmul(x, w)).detach(); };
  const Tensor<float, D> plain = run();
  {
    const Autocast<bfloat16, D> around;
    const Tensor<float, D> low = run();
    CHECK_FALSE(equal(low, plain));
    {
      const Autocast<bfloat16, D> off(false);
      CHECK(equal(run(), plain));
      const Autocast<weft::half, D> within;
      CHECK_FALSE(equal(run(), low));
    }
    CHECK(equal(run(), low));
    const NoGrad guard;
    CHECK(equal(run(), low));
    CHECK(equal(matmul(x.detach(), w.detach()).eval(), plain));  // tensors are not Vars
    const Var wide = cast<double>(x);
    CHECK(Var(matmul(wide, cast<double>(w))).dtype() == Dtype::float64);
  }
  CHECK(equal(run(), plain));
}

TEST_CASE_TEMPLATE("a checkpoint computes again as it did, also outside of the scope", D,
                   TEST_DEVICES) {
  const auto w = numbers<D>({7, 4}, 0.1);
  const auto f = [&](const Var<float, D>& x) { return Var(tanh(matmul(x, w))); };
  const auto gradient = [&](bool again) {
    const auto x = numbers<D>({3, 7});
    Var<float, D> y;
    {
      const Autocast<bfloat16, D> guard;
      y = again ? checkpoint(f, x) : f(x);
    }
    y.backward(ones({3, 4}, D{}));
    return x.grad();
  };
  CHECK(equal(gradient(true), gradient(false)));
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/expression/cut.hpp>

#include "gradients.hpp"
#include "weft/autograd/autocast.hpp"
#include "weft/autograd/explain.hpp"
#include "weft/explain.hpp"
#include "weft/random.hpp"
#ifdef __CUDACC__
#include "cuda/graph_nodes.hpp"
#endif

using namespace weft;
using autograd::is_cut;

namespace {

constexpr Draw draw{21, 3};

/// Dropout of e with p = 0.25, always of the same elements.
template <class E>
auto dropped(const E& e) {
  using C = compute_t<typename E::value_type>;
  return where(generated(e.shape(), op::trials<bool>(draw, 0.75)), e * C(1 / 0.75), C(0));
}

template <class T, class D>
Var<T, D> leaf(const Shape& shape, double first = 0) {
  return parameter(Tensor<T, D>(cast<T>(test::numbers<D>(shape, first))));
}

/// The values and gradients of `whole(leaves...)` are those of `parts(leaves...)`.
template <class T, class D, class F, class G, class... Xs>
void compare(const F& whole, const G& parts, double close, const Xs&... xs) {
  const Var<T, D> y = whole(xs...);
  const Tensor<T, D> g = cast<T>(test::numbers<D>(y.shape(), 0.3)).eval();
  y.backward(g);
  const auto check = [&](const auto&... ys) {
    const Var<T, D> z = parts(ys...);
    CHECK(allclose(y.detach(), z.detach(), {close, close}));
    CHECK(count_nonzero(z.detach()).item() > 0);
    CHECK(count_nonzero(z.detach()).item() < z.size());
    z.backward(g);
    const auto same = [&](const auto& a, const auto& b) {
      CHECK(allclose(a.grad(), b.grad(), {close, close}));
    };
    (same(xs, ys), ...);
  };
  check(parameter(xs.detach().clone())...);
}

template <class T, class D>
void check_layer(double close) {
  const auto cut = [](const auto&... v) { return Var<T, D>(relu(linear(v...))); };
  const auto cut_parts = [](const auto&... v) {
    const Var<T, D> h = linear(v...);
    return Var<T, D>(relu(h * compute_t<T>(1)));
  };
  const auto drop = [](const auto&... v) { return Var<T, D>(dropped(relu(linear(v...)))); };
  const auto drop_parts = [](const auto&... v) {
    const Var<T, D> h = linear(v...);
    const Var<T, D> r = relu(h);
    return Var<T, D>(r * dropped(ones<T>(r.shape(), r.device())));
  };
  for (const Shape& rows : {Shape{}, Shape{5}, Shape{3, 4}, Shape{2, 3, 4}}) {
    CAPTURE(rows.rank());
    Shape shape = rows;
    shape.push_back(16);
    const auto x = [&] { return leaf<T, D>(shape); };
    const auto w = [] { return leaf<T, D>({8, 16}, 0.1); };
    const auto b = [] { return leaf<T, D>({8}, 0.01); };
    compare<T, D>(cut, cut_parts, close, x(), w(), b());
    compare<T, D>(cut, cut_parts, close, x(), w());
    compare<T, D>(drop, drop_parts, close, x(), w(), b());
    compare<T, D>(drop, drop_parts, close, x(), w());
  }
}

}  // namespace

TEST_CASE("which statements are known by their value") {
  const Var x = leaf<float, Cpu>({4, 3});
  const Var w = leaf<float, Cpu>({2, 3});
  const Var b = leaf<float, Cpu>({2});
  const Var r = leaf<float, Cpu>({4, 2});
  CHECK(is_cut<decltype(relu(linear(x, w, b)))>);
  CHECK(is_cut<decltype(relu(linear(x, w)))>);
  CHECK(is_cut<decltype(relu(matmul(x, w.t()) + b))>);
  CHECK(is_cut<decltype(relu(linear(x, w, b) + r))>);
  CHECK(is_cut<decltype(relu(r + linear(x, w, b)))>);
  CHECK(is_cut<decltype(dropped(relu(linear(x, w, b))))>);
  CHECK(is_cut<decltype(dropped(relu(x)))>);
  CHECK(is_cut<decltype(dropped(relu(x * 2.0F + 1.0F)))>);
  CHECK_FALSE(is_cut<decltype(relu(x))>);  // its gradient reads as much either way
  CHECK_FALSE(is_cut<decltype(relu(linear(x, w, b)) * 2.0F)>);
  CHECK_FALSE(is_cut<decltype(relu(linear(x, w, b) * 2.0F))>);
  CHECK_FALSE(is_cut<decltype(dropped(relu(linear(x, w, b) * 2.0F)))>);
  CHECK_FALSE(is_cut<decltype(dropped(relu(x - mean(x))))>);
  CHECK_FALSE(is_cut<decltype(dropped(gelu(x)))>);
  CHECK_FALSE(is_cut<decltype(relu(linear(x.value(), w.value(), b.value())))>);
  const Var h = leaf<weft::half, Cpu>({4, 3});
  CHECK(is_cut<decltype(dropped(relu(h)))>);
  CHECK_FALSE(is_cut<decltype(dropped(relu(h * 2.0F)))>);  // may be rounded to 0
}

TEST_CASE_TEMPLATE("gradients from the value", D, TEST_DEVICES) {
  const auto x = leaf<double, D>({4, 3});
  const auto w = leaf<double, D>({2, 3}, 1);
  const auto b = leaf<double, D>({2}, 2);
  const auto r = leaf<double, D>({4, 2}, 3);
  CHECK(gradcheck([](const auto&... v) { return Var(relu(linear(v...))); }, x, w, b));
  CHECK(gradcheck([](const auto&... v) { return Var(relu(linear(v...))); }, x, w));
  CHECK(gradcheck([](const auto&... v) { return Var(dropped(relu(linear(v...)))); }, x, w, b));
  CHECK(gradcheck([](const auto& v) { return Var(dropped(relu(v * 2.0 + 0.1))); }, x));
  CHECK(
      gradcheck([&](const auto& v) { return Var(relu(linear(v * v, w.value(), b.value()))); }, x));
  CHECK(gradcheck([&](const auto& u) { return Var(relu(linear(x.value(), u, b.value()))); }, w));
  CHECK(gradcheck([&](const auto& c) { return Var(relu(linear(x, w.detach(), c))); }, b));
  CHECK(gradcheck([](const auto& v, const auto& u, const auto& c,
                     const auto& s) { return Var(relu(linear(v, u, c) + s)); },
                  x, w, b, r));
  CHECK(gradcheck([](const auto& v, const auto& u, const auto& c,
                     const auto& s) { return Var(relu(s + linear(v, u, c))); },
                  x, w, b, r));
  // The bias is larger than the product, and a batch of products is smaller than the bias.
  CHECK(gradcheck([](const auto&... v) { return Var(relu(linear(v...))); }, x, w,
                  leaf<double, D>({5, 4, 2}, 2)));
  CHECK(gradcheck([](const auto&... v) { return Var(dropped(relu(linear(v...)))); }, x, w,
                  leaf<double, D>({5, 1, 2}, 2)));
  // One Var in several places.
  CHECK(gradcheck([](const auto& v) { return Var(relu(linear(v, v, v(0)(slice(0, 4))))); },
                  leaf<double, D>({4, 4})));
}

TEST_CASE_TEMPLATE("a layer of floats and of 16 bits", D, TEST_DEVICES) {
  check_layer<double, D>(1e-12);
  check_layer<float, D>(1e-5);
  check_layer<weft::half, D>(4e-3);
  check_layer<bfloat16, D>(3e-2);
}

TEST_CASE_TEMPLATE("values that cannot be known are computed again", D, TEST_DEVICES) {
  const auto whole = [](const auto& other, const auto& scale) {
    return [=](const auto& v, const auto& u, const auto& c) {
      const auto e = linear(v, u, c);
      return Var<float, D>(
          where(generated({4, 2}, op::trials<bool>(draw, 0.75)), relu(e) * scale, other));
    };
  };
  const auto parts = [](const auto& other, const auto& scale) {
    return [=](const auto& v, const auto& u, const auto& c) {
      const Var<float, D> r = relu(linear(v, u, c));
      const Tensor<bool, D> kept =
          generated({4, 2}, op::trials<bool>(draw, 0.75)) && full<bool>({4, 2}, true, D{});
      return Var<float, D>(where(kept, r * scale, other));
    };
  };
  const auto x = [] { return leaf<float, D>({4, 3}); };
  const auto w = [] { return leaf<float, D>({2, 3}, 0.1); };
  const auto b = [] { return leaf<float, D>({2}, 0.2); };
  const auto same = [&](float other, float scale) {
    compare<float, D>(whole(other, scale), parts(other, scale), 1e-6, x(), w(), b());
  };
  same(0, 1.25F);
  same(0, 0.5F);
  same(1, 2.0F);
  same(0, -1.0F);

  // A broadcast one.
  const auto wide = [](const auto& v, const auto& u, const auto& c) {
    return Var<float, D>(where(generated({3, 4, 2}, op::trials<bool>(draw, 0.75)),
                               relu(linear(v, u, c)) * 1.25F, 0.0F));
  };
  const auto wide_parts = [](const auto& v, const auto& u, const auto& c) {
    const Var<float, D> h = linear(v, u, c);
    return Var<float, D>(where(generated({3, 4, 2}, op::trials<bool>(draw, 0.75)),
                               relu(h.expand({3, 4, 2})) * 1.25F, 0.0F));
  };
  compare<float, D>(wide, wide_parts, 1e-6, x(), w(), b());
}

TEST_CASE_TEMPLATE("a value written in place is computed again", D, TEST_DEVICES) {
  for (const bool drops : {false, true}) {
    const auto x = leaf<double, D>({4, 3});
    const auto w = leaf<double, D>({2, 3}, 0.1);
    const auto b = leaf<double, D>({2}, 0.01);
    const auto run = [&] {
      return drops ? Var<double, D>(dropped(relu(linear(x, w, b))))
                   : Var<double, D>(relu(linear(x, w, b)));
    };
    const Tensor<double, D> g = test::numbers<D>({4, 2}, 0.3);
    run().backward(g);
    const Tensor<double, D> to_x = x.grad().clone();
    const Tensor<double, D> to_b = b.grad().clone();
    x.zero_grad();
    b.zero_grad();
    const Var y = run();
    y.value().fill(1);
    y.backward(g, retain);
    CHECK(allclose(x.grad(), to_x));
    CHECK(allclose(b.grad(), to_b));
    y.backward(g);
    CHECK(allclose(x.grad(), 2.0 * to_x));

    const Var z = run();
    w.value().fill(0);
    CHECK_SAYS("was written in place after the statement read it", z.backward(g));
  }
}

TEST_CASE_TEMPLATE("dropout of relu without the random numbers", D, TEST_DEVICES) {
  const auto x = leaf<float, D>({50, 40});
  const Var y = where(trials(0.8, x.shape()), relu(x) * 1.25F, 0.0F);
  const auto offset = default_generator().offset();
  y.backward(full({50, 40}, 2.0F, D{}));
  CHECK(default_generator().offset() == offset);
  CHECK(equal(x.grad(), where(y.detach() > 0.0F, full({50, 40}, 2.5F, D{}), 0.0F).eval()));
  x.zero_grad();
  const Var none = where(trials(0, x.shape()), relu(x) * 0.0F, 0.0F);
  none.backward(full({50, 40}, HUGE_VALF, D{}));
  CHECK(count_nonzero(x.grad()).item() == 0);
}

TEST_CASE_TEMPLATE("beside other statements", D, TEST_DEVICES) {
  using V = Var<double, D>;
  const auto x = leaf<double, D>({4, 4});
  CHECK(gradcheck(
      [](const V& v) {
        const auto [p, q] = fuse(relu(linear(v, v)), v * 2.0);
        return V(p + q);
      },
      x));
  CHECK(gradcheck(
      [](const V& v) {
        const auto [p, q] = fuse(dropped(relu(v)), v * 2.0);
        return V(p + q);
      },
      x));
  const Var empty = leaf<double, D>({0, 4});
  const auto w = leaf<double, D>({3, 4});
  const auto b = leaf<double, D>({3});
  const Var none = relu(linear(empty, w, b));
  none.backward(zeros<double>({0, 3}, D{}));
  CHECK(empty.grad().shape() == Shape{0, 4});
  CHECK(count_nonzero(w.grad()).item() == 0);
  CHECK(count_nonzero(b.grad()).item() == 0);
  const NoGrad guard;
  CHECK_FALSE(V(relu(linear(x, x))).requires_grad());
}

TEST_CASE_TEMPLATE("in 16 bits under an Autocast", D, TEST_DEVICES) {
  const auto x = leaf<float, D>({6, 16});
  const auto w = leaf<float, D>({8, 16}, 0.1);
  const auto b = leaf<float, D>({8}, 0.01);
  const Autocast<bfloat16, D> guard;
  const Var product = linear(x, w);
  const Var y = relu(linear(x, w, b));
  CHECK(allclose(y.detach(), relu(product.detach() + b.detach()), {1e-6, 1e-6}));
  const Var z = dropped(relu(linear(x, w, b)));
  CHECK(allclose(z.detach(), y.detach() * dropped(ones({6, 8}, D{})), {1e-6, 1e-6}));
  const Tensor<float, D> g = cast<float>(test::numbers<D>({6, 8}, 0.3)).eval();
  z.backward(g);
  const Tensor<float, D> shown = where(z.detach() > 0.0F, g / 0.75F, 0.0F);
  CHECK(allclose(b.grad(), sum(shown, axis(0)), {1e-5, 1e-5}));
  CHECK(allclose(x.grad(), matmul(shown, w.detach()), {2e-2, 2e-2}));
}

TEST_CASE("explain shows one kernel that reads the value") {
  const Var x = leaf<float, Cpu>({6, 16});
  const Var w = leaf<float, Cpu>({8, 16});
  const Var b = leaf<float, Cpu>({8});
  CHECK(explain_backward(dropped(relu(x))).kernels.size() == 1);
  const auto layer = explain_backward(dropped(relu(linear(x, w, b))));
  REQUIRE(layer.kernels.size() == 2);  // and the products
  CHECK(layer.kernels[0].writes.size() == 2);
}

#ifdef __CUDACC__
TEST_CASE("kernels of a layer with dropout [gpu]") {
  const auto x = leaf<float, Cuda>({256, 128});
  const auto w = leaf<float, Cuda>({512, 128}, 0.1);
  const auto b = leaf<float, Cuda>({512}, 0.01);
  const auto kernels = [](auto&& statement) {
    statement();
    return captured(statement).kernels;
  };
  const NoGrad guard;
  const int product = kernels([&] { Var<float, Cuda> y = linear(x, w, b); });
  CHECK(kernels([&] { Var<float, Cuda> y = relu(linear(x, w, b)); }) == product);
  CHECK(kernels([&] { Var<float, Cuda> y = dropped(relu(linear(x, w, b))); }) == product + 1);
}
#endif

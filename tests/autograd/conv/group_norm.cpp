// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd/conv/group_norm.hpp>

#include <cmath>
#include <vector>

#include "test.hpp"
#include "weft/autograd.hpp"
#include "weft/weft.hpp"

#ifdef __CUDACC__
#include "weft/cuda/gradient.hpp"
#endif

using namespace weft;

namespace {
template <class T, class D>
Tensor<T, D> values(const Shape& shape, double phase) {
  return cast<T>(sin(cast<double>(arange<std::int64_t>(shape.size(), D{})) * 1.7 + phase) + 0.25)
      .eval()
      .reshape(shape);
}

/// The same by statements whose gradients are composed.
template <class T, class D>
Var<T, D> composed(const Var<T, D>& x, std::int64_t groups, const Var<T, D>& w,
                   const Var<T, D>& b) {
  const Var<T, D> rows = x.reshape({x.size(0), groups, -1});
  const Var<T, D> m = mean(rows, axis(-1), keepdims);
  const Var<T, D> v = var(rows, axis(-1), keepdims, correction(0));
  const Var<T, D> y = (rows - m) * rsqrt(v + T(1e-5));
  Shape beside{x.size(1)};
  for (int i = 2; i < x.rank(); ++i) beside.push_back(1);
  const Var<T, D> z = y.reshape(x.shape()) * w.reshape(beside) + b.reshape(beside);
  return z;
}
}  // namespace

TEST_CASE_TEMPLATE("values and gradients match single statements", D, TEST_DEVICES) {
  struct Case {
    Shape shape;
    std::int64_t groups;
  };
  for (const Case& at : {Case{{3, 6, 5, 7}, 2}, Case{{2, 4, 33}, 4}, Case{{5, 8}, 2},
                         Case{{2, 6, 3, 2, 4}, 1}, Case{{1, 4, 16, 16}, 2}, Case{{40, 2, 3}, 1}}) {
    const Shape shape = at.shape;
    const std::int64_t groups = at.groups;
    CAPTURE(shape);
    const Var x = parameter(values<double, D>(shape, 0));
    const Var w = parameter(values<double, D>({shape[1]}, 1));
    const Var b = parameter(values<double, D>({shape[1]}, 2));
    const Tensor<double, D> g = values<double, D>(shape, 3);
    Tensor<double, D> found[4];
    for (const bool whole : {true, false}) {
      for (const auto& v : {x, w, b}) v.zero_grad();
      Var<double, D> y;
      for (int times = 0; times < 2; ++times) {  // the second pass adds to the first one's
        y = whole ? autograd::group_norm(x, groups, 1e-5, w, b) : composed(x, groups, w, b);
        y.backward(g);
      }
      const Tensor<double, D> now[] = {y.detach(), x.grad(), w.grad(), b.grad()};
      for (int i = 0; i < 4; ++i) {
        if (!whole) CHECK(allclose(found[i], now[i], {1e-9, 1e-10}));
        found[i] = now[i].clone();
      }
    }
  }
}

TEST_CASE("gradients match finite differences") {
  const Tensor<double> x = values<double, Cpu>({2, 6, 3, 5}, 0);
  const Tensor<double> w = values<double, Cpu>({6}, 1), b = values<double, Cpu>({6}, 2);
  const Tensor<double> g = values<double, Cpu>({2, 6, 3, 5}, 3);
  const auto loss = [&](const Tensor<double>& at, const Tensor<double>& weight) {
    const Var y = autograd::group_norm(Var<double, Cpu>(at), 3, 1e-5, Var<double, Cpu>(weight),
                                       Var<double, Cpu>(b));
    return sum(y.detach() * g).item();
  };
  const Var xs = parameter(x.clone()), ws = parameter(w.clone()), bs = parameter(b.clone());
  autograd::group_norm(xs, 3, 1e-5, ws, bs).backward(g);
  const double step = 1e-5;
  for (std::int64_t i : {0, 7, 44, 100, 179}) {
    Tensor<double> up = x.clone(), down = x.clone();
    up.reshape(-1)(i) += step;
    down.reshape(-1)(i) -= step;
    const double slope = (loss(up, w) - loss(down, w)) / (2 * step);
    CHECK(xs.grad().reshape(-1)(i) == doctest::Approx(slope).epsilon(1e-6));
  }
  for (std::int64_t i = 0; i < 6; ++i) {
    Tensor<double> up = w.clone(), down = w.clone();
    up(i) += step;
    down(i) -= step;
    const double slope = (loss(x, up) - loss(x, down)) / (2 * step);
    CHECK(ws.grad()(i) == doctest::Approx(slope).epsilon(1e-6));
  }
  CHECK(allclose(bs.grad(), sum(g, axis(0, 2, 3))));
}

TEST_CASE_TEMPLATE("without a weight, in half types, of other layouts, and of no images", D,
                   TEST_DEVICES) {
  const Tensor<float, D> x = values<float, D>({4, 6, 8, 8}, 0),
                         g = values<float, D>({4, 6, 8, 8}, 1);
  const Tensor<float, D> ones_of = ones({6}, D{}), zeros_of = zeros({6}, D{});
  const Var a = parameter(x), c = parameter(x), w = parameter(ones_of), b = parameter(zeros_of);
  const Var y = autograd::group_norm(a, 3, 1e-5);
  const Var z = autograd::group_norm(c, 3, 1e-5, w, b);
  y.backward(g);
  z.backward(g);
  CHECK(allclose(y.detach(), z.detach(), {1e-5, 1e-6}));
  CHECK(allclose(a.grad(), c.grad(), {1e-4, 1e-6}));
  // x has its channels last.
  const Var last = parameter(x.permute({0, 2, 3, 1}).clone());
  const Var moved = autograd::group_norm(Var(last.permute({0, 3, 1, 2})), 3, 1e-5, w, b);
  CHECK(allclose(moved.detach(), z.detach(), {1e-5, 1e-6}));
  w.zero_grad();
  moved.backward(g);
  CHECK(allclose(last.grad().permute({0, 3, 1, 2}), c.grad(), {1e-4, 1e-6}));
  const Var h = parameter(cast<bfloat16>(x).eval());
  const Var wide = parameter(cast<float>(h.detach()).eval());
  const Tensor<bfloat16, D> gh = cast<bfloat16>(g);
  const Var small = autograd::group_norm(h, 3, 1e-5);
  small.backward(gh);
  autograd::group_norm(wide, 3, 1e-5).backward(cast<float>(gh).eval());
  CHECK(allclose(cast<float>(h.grad()).eval(), wide.grad(), {1e-2, 1e-3}));
  const Var none = parameter(zeros({0, 6, 8}, D{}));
  w.zero_grad();
  autograd::group_norm(none, 3, 1e-5, w, b).backward(zeros({0, 6, 8}, D{}));
  CHECK(max(abs(w.grad())).item() == 0);
}

TEST_CASE_TEMPLATE("a weight that needs no gradient, and x that needs none", D, TEST_DEVICES) {
  const Tensor<double, D> x = values<double, D>({3, 4, 9}, 0), g = values<double, D>({3, 4, 9}, 1);
  const Tensor<double, D> t = values<double, D>({4}, 2);
  const Var all = parameter(x), w = parameter(t), b = parameter(t);
  autograd::group_norm(all, 2, 1e-5, w, b).backward(g);
  const Var alone = parameter(x);
  autograd::group_norm(alone, 2, 1e-5, Var<double, D>(t), Var<double, D>(t)).backward(g);
  CHECK(allclose(all.grad(), alone.grad()));
  const Var ws = parameter(t), bs = parameter(t);
  autograd::group_norm(Var<double, D>(x), 2, 1e-5, ws, bs).backward(g);
  CHECK(allclose(w.grad(), ws.grad()));
  CHECK(allclose(b.grad(), bs.grad()));
}

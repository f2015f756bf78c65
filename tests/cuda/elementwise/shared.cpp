// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/shared.hpp>

#include "array.hpp"

using weft::Cuda;
using weft::Tensor;

namespace {

// Each use of t is a tree of its own in the expression.
template <class X, class B>
auto folded(const X& x, const X& y, const B& b) {
  auto t = where(x < b, x, b * 0.5F) - y;
  auto u = where(t < y, t, y * 1.5F);
  return where(u > b, u, b * 2.0F) + exp(t) * exp(-t);
}

}  // namespace

TEST_CASE("parts of one value are computed once, and others by themselves [gpu]") {
  test::Random r(5);
  for (const weft::Shape& shape : {weft::Shape{64, 96}, weft::Shape{7, 13}}) {
    CAPTURE(shape);
    const auto rows = shape[0];
    const auto columns = shape[1];
    const auto x = r.array<float>({rows, columns});
    const auto y = r.array<float>({rows, columns});
    const auto b = r.array<float>({rows, 1});
    const Tensor<float, Cuda> z = folded(x.on(Cuda{}), y.on(Cuda{}), b.on(Cuda{}));
    const Tensor<float> expected = folded(x.on(weft::Cpu{}), y.on(weft::Cpu{}), b.on(weft::Cpu{}));
    CHECK(allclose(z.to(weft::Cpu{}), expected, {1e-5, 1e-6}));

    // One tree of types, of two values in turn.
    const auto dx = x.on(Cuda{});
    const auto dy = y.on(Cuda{});
    const Tensor<float, Cuda> mixed = tanh(dx) * tanh(dx) + tanh(dy) * tanh(dx) - tanh(dy);
    const auto hx = x.on(weft::Cpu{});
    const auto hy = y.on(weft::Cpu{});
    const Tensor<float> turn = tanh(hx) * tanh(hx) + tanh(hy) * tanh(hx) - tanh(hy);
    CHECK(allclose(mixed.to(weft::Cpu{}), turn, {1e-5, 1e-6}));

    // In place, and into several targets.
    Tensor<float, Cuda> target = x.on(Cuda{});
    target = tanh(target) * target + tanh(target);
    const Tensor<float> own = tanh(hx) * hx + tanh(hx);
    CHECK(allclose(target.to(weft::Cpu{}), own, {1e-5, 1e-6}));
    auto s = sigmoid(dx);
    Tensor<float, Cuda> p = dx.clone();
    Tensor<float, Cuda> q = dx.clone();
    tie(p, q) = fuse(dx * s, s * (1 + dx * (1 - s)));
    auto hs = sigmoid(hx);
    CHECK(allclose(p.to(weft::Cpu{}), Tensor<float>(hx * hs), {1e-5, 1e-6}));
    CHECK(allclose(q.to(weft::Cpu{}), Tensor<float>(hs * (1 + hx * (1 - hs))), {1e-5, 1e-6}));
  }
}

TEST_CASE("a part that recurs inside another, of operands whose neighbours are one element [gpu]") {
  const auto nested = [](const auto& x, const auto& b, const auto& c) {
    return (tanh(exp(square(b))) * x + exp(square(b)) + tanh(exp(square(c)))).eval();
  };
  test::Random r(6);
  for (const weft::Shape& shape : {weft::Shape{64, 96}, weft::Shape{64, 63}, weft::Shape{7, 13}}) {
    CAPTURE(shape);
    const auto x = r.array<float>({shape[0], shape[1]});
    const auto b = r.array<float>({shape[0], 1});
    const auto c = r.array<float>({shape[0], 1});
    const auto on = [&](auto device) {
      return nested(x.on(device), b.on(device), c.on(device)).to(weft::Cpu{});
    };
    CHECK(allclose(on(Cuda{}), on(weft::Cpu{}), {1e-5, 1e-6}));
  }
}

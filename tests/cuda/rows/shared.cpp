// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/shared.hpp>

#include "array.hpp"

using weft::axis;
using weft::Cuda;
using weft::Tensor;

namespace {

template <class X>
auto normalised(const X& x, const X& b) {
  auto t = atan(x);
  auto e = where(t < b, t, b * 1.5F) + 0.5F;
  return layer_norm(e) * softmax(e, axis(-1)) + tanh(e);
}
template <class X>
auto crossed(const X& x, const X& y) {
  return sum(softmax(x, axis(-1)) * log(softmax(y, axis(-1))) - log_softmax(x, axis(-1)), axis(-1));
}

}  // namespace

TEST_CASE("rows whose programs have equal parts, short and long, of two values too [gpu]") {
  test::Random r(6);
  for (std::int64_t width : {5, 33, 128, 256, 700, 4096}) {
    CAPTURE(width);
    const auto x = r.array<float>({9, width});
    const auto y = r.array<float>({9, width});
    const weft::Cpu cpu{};
    const Tensor<float, Cuda> z = normalised(x.on(Cuda{}), y.on(Cuda{}));
    CHECK(allclose(z.to(cpu), Tensor<float>(normalised(x.on(cpu), y.on(cpu))), {1e-4, 1e-5}));
    const Tensor<float, Cuda> c = crossed(x.on(Cuda{}), y.on(Cuda{}));
    CHECK(allclose(c.to(cpu), Tensor<float>(crossed(x.on(cpu), y.on(cpu))), {1e-4, 1e-4}));
  }
}

TEST_CASE("a part that recurs inside another, of operands with one element a row [gpu]") {
  const auto nested = [](const auto& x, const auto& b, const auto& c) {
    const auto e = tanh(exp(square(b))) * x + exp(square(b)) * square(x) + tanh(exp(square(c)));
    return (e - 0.5F * max(e, axis(-1), weft::keepdims)).eval();
  };
  test::Random r(7);
  for (std::int64_t width : {5, 33, 256, 4096, 40001}) {
    CAPTURE(width);
    const auto x = r.array<float>({9, width});
    const auto b = r.array<float>({9, 1});
    const auto c = r.array<float>({9, 1});
    const auto on = [&](auto device) {
      const auto small = [&](const auto& y) { return (y.on(device) * 0.1F).eval(); };
      return nested(small(x), small(b), small(c)).to(weft::Cpu{});
    };
    CHECK(allclose(on(Cuda{}), on(weft::Cpu{}), {1e-5, 1e-5}));
  }
}

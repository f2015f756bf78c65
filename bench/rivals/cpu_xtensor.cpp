// Rival of the CPU benchmark: xtensor with xsimd.
// SPDX-License-Identifier: Apache-2.0
#define XTENSOR_USE_XSIMD
#include <xtensor/xadapt.hpp>
#include <xtensor/xmath.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xsort.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include "../cpu.hpp"

namespace bench {
namespace {
template <class... N>
auto adapt(float* data, N... sizes) {
  const std::array<std::size_t, sizeof...(N)> shape{static_cast<std::size_t>(sizes)...};
  std::size_t count = 1;
  for (std::size_t s : shape) count *= s;
  return xt::adapt(data, count, xt::no_ownership(), shape);
}
}  // namespace

void add_xtensor(const std::string& name, const Operands& o, Contenders& all) {
  const auto add = [&](std::function<void()> run) {
    all.push_back({"xtensor", 1, std::move(run)});
  };
  const auto x = [&o] { return adapt(o.x, o.n); };
  const auto m = [&o] { return adapt(o.x, o.rows, o.width); };
  if (name == "chain") {
    add([=, &o] {
      auto out = adapt(o.out, o.n);
      const auto a = x();
      const auto b = adapt(o.y, o.n);
      xt::noalias(out) = xt::tanh(a * b + 0.3F) * xt::exp(-a * a) + 0.5F;
    });
  } else if (name == "axpy") {
    add([=, &o] {
      auto out = adapt(o.out, o.n);
      const auto a = x();
      xt::noalias(out) = 0.75F * a + out;
    });
  } else if (name == "softmax") {
    add([=, &o] {
      auto out = adapt(o.out, o.rows, o.width);
      const auto a = m();
      const xt::xtensor<float, 2> largest = xt::amax(a, {1}, xt::keep_dims);
      xt::noalias(out) = xt::exp(a - largest);
      const xt::xtensor<float, 2> sums = xt::sum(out, {1}, xt::keep_dims);
      out /= sums;
    });
  } else if (name == "layernorm") {
    add([=, &o] {
      auto out = adapt(o.out, o.rows, o.width);
      const auto a = m();
      const xt::xtensor<float, 2> mean = xt::mean(a, {1}, xt::keep_dims);
      xt::noalias(out) = a - mean;
      const xt::xtensor<float, 2> variance = xt::mean(out * out, {1}, xt::keep_dims);
      const xt::xtensor<float, 2> scale = 1 / xt::sqrt(variance + 1e-5F);
      out = out * scale * adapt(o.deviation, o.width) + adapt(o.bias, o.width);
    });
  } else if (name == "sumexp") {
    add([=, &o] {
      const auto a = x();
      o.out[0] = xt::sum(xt::exp(a), xt::evaluation_strategy::immediate)();
    });
  } else if (name == "sum") {
    add([=, &o] {
      const auto a = x();
      o.out[0] = xt::sum(a, xt::evaluation_strategy::immediate)();
    });
  } else if (name == "rowsum") {
    add([=, &o] {
      auto out = adapt(o.out, o.rows);
      xt::noalias(out) = xt::sum(m(), {1}, xt::evaluation_strategy::immediate);
    });
  } else if (name == "colsum") {
    add([=, &o] {
      auto out = adapt(o.out, o.width);
      xt::noalias(out) = xt::sum(m(), {0}, xt::evaluation_strategy::immediate);
    });
  } else if (name == "bnorm") {
    add([=, &o] {
      auto out = adapt(o.out, o.rows, o.width);
      const auto a = m();
      xt::noalias(out) = (a - adapt(o.mean, o.width)) * adapt(o.deviation, o.width);
    });
  } else if (name == "transpose_add") {
    add([=, &o] {
      auto out = adapt(o.out, o.rows, o.width);
      const auto square = adapt(o.x, o.width, o.rows);
      xt::noalias(out) = xt::transpose(square) + adapt(o.y, o.rows, o.width);
    });
  } else if (name == "argmax") {
    add([=, &o] {
      const auto a = x();
      o.out[0] = static_cast<float>(xt::argmax(a)() % 1000003);
    });
  }
}

}  // namespace bench

// ONNX's steps of optimizers.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

void adagrad(Call& c) {
  const float rate =
      static_cast<float>(c.number(0) / (1 + c.number(1) * c.number("decay_factor", 0)));
  const int n = (c.count() - 2) / 3;
  for (int what = 0; what < 2; ++what) {
    for (int i = 0; i < n; ++i) {
      const Float x = c.f32(2 + i);
      const Float g = c.f32(2 + n + i) + c.real("norm_coefficient", 0) * x;
      const Float sums = c.f32(2 + 2 * n + i) + g * g;
      what == 0 ? c.out(x - rate * g / (sqrt(sums) + c.real("epsilon", 0))) : c.out(sums);
    }
  }
}

void adam(Call& c) {
  const double rate = c.number(0);
  const double step = c.number(1);
  const float a = c.real("alpha", .9F);
  const float b = c.real("beta", .999F);
  const int n = (c.count() - 2) / 4;
  const double corrected = step == 0
                               ? rate
                               : rate * std::sqrt(1 - std::pow(static_cast<double>(b), step)) /
                                     (1 - std::pow(static_cast<double>(a), step));
  for (int what = 0; what < 3; ++what) {
    for (int i = 0; i < n; ++i) {
      const Float x = c.f32(2 + i);
      const Float g = c.f32(2 + n + i) + c.real("norm_coefficient", 0) * x;
      const Float v = a * c.f32(2 + 2 * n + i) + (1 - a) * g;
      const Float h = b * c.f32(2 + 3 * n + i) + (1 - b) * g * g;
      const Float next = x - static_cast<float>(corrected) * v / (sqrt(h) + c.real("epsilon", 0));
      what == 0   ? c.out((1 - c.real("norm_coefficient_post", 0)) * next)
      : what == 1 ? c.out(v)
                  : c.out(h);
    }
  }
}

void momentum(Call& c) {
  const auto rate = static_cast<float>(c.number(0));
  const float a = c.real("alpha", 0);
  const float b = c.number(1) > 0 ? c.real("beta", 0) : 1;
  const bool nesterov = c.word("mode") == "nesterov";
  const int n = (c.count() - 2) / 3;
  for (int what = 0; what < 2; ++what) {
    for (int i = 0; i < n; ++i) {
      const Float x = c.f32(2 + i);
      const Float g = c.f32(2 + n + i) + c.real("norm_coefficient", 0) * x;
      const Float v = a * c.f32(2 + 2 * n + i) + b * g;
      what == 1 ? c.out(v) : nesterov ? c.out(x - rate * (g + a * v)) : c.out(x - rate * v);
    }
  }
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Adagrad"] = adagrad;
  table["Adam"] = adam;
  table["Momentum"] = momentum;
});

}  // namespace conformance

// ONNX's arithmetic on two and more operands.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

template <class F>
Operator arithmetic(F f) {
  return binary<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                uint32_t, uint64_t>(f);
}

template <class... Ts, class F>
Operator folded(F) {
  return [](Call& c) {
    c.visit<Ts...>(0, [&](auto x) {
      for (int i = 1; i < c.count(); ++i) x = F{}(x, c.get<element_t<decltype(x)>>(i)).eval();
      c.out(x);
    });
  };
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Add"] = arithmetic([](auto& x, const auto& y) { return x + y; });
  table["Sub"] = arithmetic([](auto& x, const auto& y) { return x - y; });
  table["Mul"] = arithmetic([](auto& x, const auto& y) { return x * y; });
  table["Div"] = arithmetic([](auto& x, const auto& y) { return x / y; });
  table["Mod"] = [](Call& c) {
    const bool truncated = c.integer("fmod") != 0;
    c.visit<float, double, half, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
            uint64_t>(0, [&](const auto& x) {
      const auto y = c.get<element_t<decltype(x)>>(1);
      truncated ? c.out(fmod(x, y)) : c.out(remainder(x, y));
    });
  };
  table["Pow"] = [](Call& c) {
    c.visit<float, int32_t, int64_t>(0, [&](const auto& x) {
      using T = element_t<decltype(x)>;
      c.visit<float, int32_t, int64_t, uint32_t, uint64_t>(
          1, [&](const auto& y) { c.out(pow(x, Tensor<T>(cast<T>(y)))); });
    });
  };
  table["Max"] = folded<float, double, half, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                        uint32_t, uint64_t>([](auto& x, const auto& y) { return maximum(x, y); });
  table["Min"] = folded<float, double, half, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                        uint32_t, uint64_t>([](auto& x, const auto& y) { return minimum(x, y); });
  table["Sum"] = folded<float, double>([](auto& x, const auto& y) { return x + y; });
  table["Mean"] = [](Call& c) {
    Float x = c.f32(0);
    for (int i = 1; i < c.count(); ++i) x = x + c.f32(i);
    c.out(x / static_cast<float>(c.count()));
  };
  table["PRelu"] = [](Call& c) {
    const Float x = c.f32(0);
    c.out(where(x < 0, c.f32(1) * x, x));
  };
});

}  // namespace conformance

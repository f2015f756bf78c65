// ONNX's comparisons, logic and choice.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

template <class F>
Operator comparison(F f) {
  return binary<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                uint64_t>(f);
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Equal"] = [](Call& c) {
    c.visit<float, half, bfloat16, bool, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
            uint32_t, uint64_t>(
        0, [&](const auto& x) { c.out(x == c.get<element_t<decltype(x)>>(1)); });
  };
  table["Greater"] = comparison([](auto& x, const auto& y) { return x > y; });
  table["GreaterOrEqual"] = comparison([](auto& x, const auto& y) { return x >= y; });
  table["Less"] = comparison([](auto& x, const auto& y) { return x < y; });
  table["LessOrEqual"] = comparison([](auto& x, const auto& y) { return x <= y; });
  table["And"] = binary<bool>([](auto& x, const auto& y) { return x && y; });
  table["Or"] = binary<bool>([](auto& x, const auto& y) { return x || y; });
  table["Xor"] = binary<bool>([](auto& x, const auto& y) { return logical_xor(x, y); });
  table["Where"] = [](Call& c) {
    const auto condition = c.get<bool>(0);
    c.visit<float, double, half, bfloat16, int8_t, int32_t, int64_t>(
        1, [&](const auto& x) { c.out(where(condition, x, c.get<element_t<decltype(x)>>(2))); });
  };
});

}  // namespace conformance

// ONNX's operators on bits.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

namespace {

template <class F>
Operator bits(F f) {
  return binary<int8_t, int16_t, int32_t, uint8_t, uint64_t>(f);
}

template <class To, class From>
void reinterpret(Call& c, const From& x) {
  if constexpr (sizeof(To) == sizeof(element_t<From>)) {
    c.out(weft::bit_cast<To>(x));
  } else {
    c.reject("between sizes");
  }
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["BitwiseAnd"] = bits([](auto& x, const auto& y) { return x & y; });
  table["BitwiseOr"] = bits([](auto& x, const auto& y) { return x | y; });
  table["BitwiseXor"] = bits([](auto& x, const auto& y) { return x ^ y; });
  table["BitwiseNot"] = unary<int32_t, uint16_t, uint8_t>([](auto& x) { return ~x; });
  table["BitShift"] = [](Call& c) {
    const bool left = c.word("direction") == "LEFT";
    c.visit<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(
        0, [&](const auto& x) {
          const auto n = c.get<element_t<decltype(x)>>(1);
          left ? c.out(x << n) : c.out(x >> n);
        });
  };
  table["BitCast"] = [](Call& c) {
    c.visit<float, double, int32_t, int64_t, uint32_t, int8_t, uint16_t, uint8_t, bool>(
        0, [&](const auto& x) {
          switch (c.integer("to")) {
            case 1:
              return reinterpret<float>(c, x);
            case 2:
              return reinterpret<uint8_t>(c, x);
            case 5:
              return reinterpret<int16_t>(c, x);
            case 6:
              return reinterpret<int32_t>(c, x);
            case 7:
              return reinterpret<int64_t>(c, x);
            case 11:
              return reinterpret<double>(c, x);
            default:
              c.reject("to type " + std::to_string(c.integer("to")));
          }
        });
  };
});

}  // namespace conformance

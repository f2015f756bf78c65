// ONNX's conversions, those to and from small types included.
// SPDX-License-Identifier: Apache-2.0
#include "../small_types.hpp"

namespace conformance {

namespace {

template <class X>
void to_small(Call& c, const X& x, const std::string& type) {
  using T = element_t<X>;
  if constexpr (std::is_same_v<T, float> || std::is_same_v<T, half>) {
    const auto overflow =
        c.integer("saturate", 1) != 0 ? weft::Overflow::saturate : weft::Overflow::natural;
    const std::string way = c.word("round_mode", "up");
    const bool known = with_format(type, [&](auto format) {
      using F = decltype(format);
      if constexpr (std::is_same_v<F, weft::float8_e8m0>) {
        if (way != "nearest") {
          const bool up = way == "up";
          struct Directed {
            bool up;
            weft::Overflow overflow;
            uint8_t operator()(float value) const {
              return up ? weft::float8_e8m0::encode_up(value, overflow)
                        : weft::float8_e8m0::encode_down(value, overflow);
            }
          };
          return c.out_small(weft::map(Directed{up, overflow}, x), type);
        }
      }
      // Integers of few bits keep the low ones, as wide ones do.
      constexpr bool wraps = requires { F::low; };
      c.out_small(weft::encode<F>(x, wraps ? weft::Overflow::natural : overflow), type);
    });
    if (known) return;
  }
  c.reject("from " + std::string(weft::name(weft::dtype_of<T>)) + " to " + type);
}

template <class X>
void to_type(Call& c, const X& x, const std::string& type) {
  if (type == "float32") return c.out(cast<float>(x));
  if (type == "float64") return c.out(cast<double>(x));
  if (type == "float16") return c.out(cast<half>(x));
  if (type == "bfloat16") return c.out(cast<bfloat16>(x));
  if (type == "int64") return c.out(cast<int64_t>(x));
  if (type == "int32") return c.out(cast<int32_t>(x));
  if (type == "int8") return c.out(cast<int8_t>(x));
  if (type == "uint8") return c.out(cast<uint8_t>(x));
  if (type == "bool") return c.out(x != 0);
  to_small(c, x, type);
}

void convert(Call& c, const std::string& type) {
  const Value& v = c.value(0);
  if (!v.small.empty()) return to_type(c, decoded(v), type);
  c.visit<float, double, half, bfloat16, int32_t, int64_t, uint8_t, int8_t>(
      0, [&](const auto& x) { to_type(c, x, type); });
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["Cast"] = [](Call& c) {
    if (c.value(0).small.empty() && c.dtype(0) == weft::Dtype::boolean) {
      const std::string type = type_name(c.integer("to"));
      if (type == "bool") return c.out(c.get<bool>(0));
      return to_type(c, Tensor<int32_t>(cast<int32_t>(c.get<bool>(0))), type);
    }
    convert(c, type_name(c.integer("to")));
  };
  table["CastLike"] = [](Call& c) {
    const Value& like = c.value(1);
    if (c.value(0).small.empty() && c.dtype(0) == weft::Dtype::boolean) c.reject(0);
    convert(c, like.small.empty() ? weft::name(like.tensor.dtype()) : like.small);
  };
});

}  // namespace conformance

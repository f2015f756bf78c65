// ONNX's quantisation: formulas in float, with the integers and small types as storage.
// SPDX-License-Identifier: Apache-2.0
#include "../small_types.hpp"

namespace conformance {

namespace {

/// A scale or a zero point against a tensor of this shape: one number, one for each place of an
/// axis, or one for each block of places.
Float spread(const Call& c, const Float& x, const Shape& shape) {
  if (x.size() == 1) return x.reshape(Shape{});
  const int at = static_cast<int>(from_front(c.integer("axis", 1), shape.rank()));
  const int64_t block = c.integer("block_size");
  if (block > 0) return weft::repeat_interleave(x, block, axis(at)).eval().narrow(at, 0, shape[at]);
  Shape wide;
  for (int i = 0; i < shape.rank(); ++i) wide.push_back(i == at ? x.size() : 1);
  return x.reshape(wide);
}

Float as_float(const Call& c, int i) {
  const Value& v = c.value(i);
  if (!v.small.empty()) return decoded(v);
  Float out;
  c.visit<float, half, uint8_t, int8_t, uint16_t, int16_t, int32_t>(
      i, [&](const auto& x) { out = cast<float>(x); });
  return out;
}

/// Rounded numbers, clamped to a type's range, as that type.
void store(Call& c, const Float& x, const Float& zero, const std::string& type) {
  const auto integer = [&](double low, double high) {
    return Float(clamp(round(x) + zero, static_cast<float>(low), static_cast<float>(high)));
  };
  if (type == "uint8") return c.out(cast<uint8_t>(integer(0, 255)));
  if (type == "int8") return c.out(cast<int8_t>(integer(-128, 127)));
  if (type == "uint16") return c.out(cast<uint16_t>(integer(0, 65535)));
  if (type == "int16") return c.out(cast<int16_t>(integer(-32768, 32767)));
  const bool known = with_format(type, [&](auto format) {
    using F = decltype(format);
    if constexpr (requires { F::low; }) {
      c.out_small(weft::encode<F>(integer(F::low, F::high)), type);
    } else {
      c.out_small(weft::encode<F>(x + zero), type);
    }
  });
  if (!known) c.reject("to " + type);
}

void quantize(Call& c) {
  const Float x = as_float(c, 0);
  const Float scale = spread(c, as_float(c, 1), x.shape());
  std::string type = c.given("output_dtype") ? type_name(c.integer("output_dtype")) : "uint8";
  Float zero = weft::zeros(Shape{});
  if (c.has(2)) {
    const Value& v = c.value(2);
    type = v.small.empty() ? weft::name(v.tensor.dtype()) : v.small;
    zero = spread(c, as_float(c, 2), x.shape());
  }
  store(c, x / scale, zero, type);
}

void dequantize(Call& c) {
  const Float x = as_float(c, 0);
  const Float scale = spread(c, as_float(c, 1), x.shape());
  Float y = c.has(2) ? Float((x - spread(c, as_float(c, 2), x.shape())) * scale) : Float(x * scale);
  c.dtype(1) == weft::Dtype::float16 ? c.out(cast<half>(y)) : c.out(y);
}

void dynamic(Call& c) {
  const Float x = c.f32(0);
  const float high = std::max(0.F, static_cast<float>(max(x).item()));
  const float low = std::min(0.F, static_cast<float>(min(x).item()));
  const float scale = (high == low ? 1 : high - low) / 255;
  const float zero = std::nearbyint(std::clamp(-low / scale, 0.F, 255.F));
  c.out(cast<uint8_t>(clamp(round(x / scale) + zero, 0, 255)));
  c.out(weft::full<float>(Shape{}, scale));
  c.out(weft::full<uint8_t>(Shape{}, static_cast<uint8_t>(zero)));
}

void qlinear_matmul(Call& c) {
  const Float a = (as_float(c, 0) - as_float(c, 2)) * as_float(c, 1);
  const Float b = (as_float(c, 3) - as_float(c, 5)) * as_float(c, 4);
  store(c, matmul(a, b) / as_float(c, 6), as_float(c, 7), weft::name(c.dtype(7)));
}

void matmul_integer(Call& c) {
  const auto shifted = [&](int i, int zero) {
    const Tensor<int32_t> x = cast<int32_t>(c.get<uint8_t>(i));
    return c.has(zero) ? Tensor<int32_t>(x - cast<int32_t>(c.get<uint8_t>(zero))) : x;
  };
  c.out(matmul(shifted(0, 2), shifted(1, 3)));
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["QuantizeLinear"] = quantize;
  table["DequantizeLinear"] = dequantize;
  table["DynamicQuantizeLinear"] = dynamic;
  table["QLinearMatMul"] = qlinear_matmul;
  table["MatMulInteger"] = matmul_integer;
});

}  // namespace conformance

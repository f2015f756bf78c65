// ONNX's functions of one operand.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"

namespace conformance {

/// This file's operators.
static const Group group([](Table& table) {
  table["Abs"] = unary<float, double, int32_t, int64_t>([](auto& x) { return abs(x); });
  table["Neg"] = unary<float, double, int32_t, int64_t>([](auto& x) { return -x; });
  table["Sign"] = unary<float, double, int64_t>([](auto& x) { return sign(x); });
  table["Acos"] = unary<float>([](auto& x) { return acos(x); });
  table["Acosh"] = unary<float>([](auto& x) { return acosh(x); });
  table["Asin"] = unary<float>([](auto& x) { return asin(x); });
  table["Asinh"] = unary<float>([](auto& x) { return asinh(x); });
  table["Atan"] = unary<float>([](auto& x) { return atan(x); });
  table["Atanh"] = unary<float>([](auto& x) { return atanh(x); });
  table["Ceil"] = unary<float>([](auto& x) { return ceil(x); });
  table["Cos"] = unary<float>([](auto& x) { return cos(x); });
  table["Cosh"] = unary<float>([](auto& x) { return cosh(x); });
  table["Erf"] = unary<float>([](auto& x) { return erf(x); });
  table["Exp"] = unary<float, double, half, bfloat16>([](auto& x) { return exp(x); });
  table["Floor"] = unary<float, half>([](auto& x) { return floor(x); });
  table["HardSwish"] = unary<float>([](auto& x) { return hardswish(x); });
  table["Log"] = unary<float, double>([](auto& x) { return log(x); });
  table["Mish"] = unary<float>([](auto& x) { return mish(x); });
  table["Reciprocal"] = unary<float, half>([](auto& x) { return reciprocal(x); });
  table["Relu"] = unary<float>([](auto& x) { return relu(x); });
  table["Round"] = unary<float>([](auto& x) { return round(x); });
  table["Sigmoid"] = unary<float, half>([](auto& x) { return sigmoid(x); });
  table["Sin"] = unary<float>([](auto& x) { return sin(x); });
  table["Sinh"] = unary<float>([](auto& x) { return sinh(x); });
  table["Softplus"] = unary<float>([](auto& x) { return softplus(x); });
  table["Softsign"] = unary<float>([](auto& x) { return x / (1 + abs(x)); });
  table["Sqrt"] = unary<float, double, half, bfloat16>([](auto& x) { return sqrt(x); });
  table["Tan"] = unary<float>([](auto& x) { return tan(x); });
  table["Tanh"] = unary<float, half, bfloat16>([](auto& x) { return tanh(x); });
  table["Not"] = unary<bool>([](auto& x) { return !x; });
  table["IsNaN"] = unary<float, half, bfloat16>([](auto& x) { return isnan(x); });
  table["IsInf"] = [](Call& c) {
    const bool minus = c.integer("detect_negative", 1) != 0;
    const bool plus = c.integer("detect_positive", 1) != 0;
    c.visit<float, half>(
        0, [&](const auto& x) { c.out(isinf(x) && ((x < 0 && minus) || (x > 0 && plus))); });
  };
  table["Elu"] = [](Call& c) {
    const float alpha = c.real("alpha", 1);
    c.visit<float, half, bfloat16>(0, [&](const auto& x) { c.out(elu(x, alpha)); });
  };
  table["RandomUniformLike"] = [](Call& c) {
    const int64_t like = c.dtype(0) == weft::Dtype::float64 ? 11 : 1;
    c.integer("dtype", like) == 11 ? c.out(weft::rand<double>(c.shape(0)))
                                   : c.out(weft::rand(c.shape(0)));
  };
  table["Celu"] = [](Call& c) {
    const float alpha = c.real("alpha", 1);
    c.visit<float, half, bfloat16>(
        0, [&](const auto& x) { c.out(maximum(x, 0) + minimum(alpha * expm1(x / alpha), 0)); });
  };
  table["LeakyRelu"] = [](Call& c) { c.out(leaky_relu(c.f32(0), c.real("alpha", .01F))); };
  table["Selu"] = [](Call& c) {
    const Float x = c.f32(0);
    const float alpha = c.real("alpha", 1.67326319217681884765625);
    c.out(c.real("gamma", 1.05070102214813232421875) * where(x > 0, x, alpha * expm1(x)));
  };
  table["ThresholdedRelu"] = [](Call& c) {
    const Float x = c.f32(0);
    c.out(where(x > c.real("alpha", 1), x, 0));
  };
  table["HardSigmoid"] = [](Call& c) {
    c.out(clamp(c.real("alpha", .2F) * c.f32(0) + c.real("beta", .5F), 0, 1));
  };
  table["Shrink"] = [](Call& c) {
    const Float x = c.f32(0);
    const float limit = c.real("lambd", .5F);
    const float bias = c.real("bias", 0);
    c.out(where(x < -limit, x + bias, where(x > limit, x - bias, 0)));
  };
  table["Swish"] = [](Call& c) {
    const float alpha = c.real("alpha", 1);
    c.visit<float, half>(0, [&](const auto& x) { c.out(x * sigmoid(alpha * x)); });
  };
  table["SwiGLU"] = [](Call& c) {
    const float alpha = c.real("alpha", 1);
    c.visit<float, half>(0, [&](const auto& x) {
      c.out(x * sigmoid(alpha * x) * c.get<element_t<decltype(x)>>(1));
    });
  };
  table["Gelu"] = [](Call& c) {
    const Float x = c.f32(0);
    c.word("approximate") == "tanh" ? c.out(gelu_tanh(x)) : c.out(gelu(x));
  };
  table["Clip"] = [](Call& c) {
    c.visit<float, int8_t, int64_t>(0, [&](auto x) {
      using T = element_t<decltype(x)>;
      if (c.has(1)) x = maximum(x, c.get<T>(1)).eval();
      if (c.has(2)) x = minimum(x, c.get<T>(2)).eval();
      c.out(x);
    });
  };
  table["Identity"] = [](Call& c) { c.outputs.push_back(c.value(0)); };
  table["Bernoulli"] = [](Call& c) {
    const int64_t type = c.integer("dtype", c.dtype(0) == weft::Dtype::float64 ? 11 : 1);
    c.visit<float, double>(0, [&](const auto& p) {
      const Tensor<bool> drawn = weft::bernoulli(p);
      type == 11 ? c.out(cast<double>(drawn)) : c.out(cast<float>(drawn));
    });
  };
  table["Dropout"] = [](Call& c) {
    const Float x = c.f32(0);
    const bool training = c.has(2) && c.number(2) != 0;
    const float ratio = c.has(1) ? static_cast<float>(c.number(1)) : c.real("ratio", .5F);
    const Tensor<bool> kept = training && ratio > 0
                                  ? Tensor<bool>(weft::bernoulli(1 - ratio, x.shape()))
                                  : Tensor<bool>(weft::ones_like(x) > 0);
    c.out(training ? Float(where(kept, x, 0) / (1 - ratio)) : x);
    c.out(kept);
  };
});

}  // namespace conformance

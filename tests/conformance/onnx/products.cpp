// ONNX's matrix products.
// SPDX-License-Identifier: Apache-2.0
#include "../call.hpp"
#include "weft/linalg.hpp"

namespace conformance {

namespace {

void gemm(Call& c) {
  Float a = c.f32(0);
  Float b = c.f32(1);
  if (c.integer("transA") != 0) a = a.t();
  if (c.integer("transB") != 0) b = b.t();
  const float alpha = c.real("alpha", 1);
  if (!c.has(2)) return c.out(alpha * matmul(a, b));
  c.out(alpha * matmul(a, b) + c.real("beta", 1) * c.f32(2));
}

template <class T>
Tensor<T> summed(const std::string& formula, const Tensor<T>& a, const Tensor<T>* b) {
  return b == nullptr ? Tensor<T>(einsum(formula.c_str(), a))
                      : Tensor<T>(einsum(formula.c_str(), a, *b));
}

void einstein(Call& c) {
  std::string formula;
  for (char letter : c.word("equation")) {
    if (letter != ' ') formula += letter;
  }
  c.visit<double, bfloat16>(0, [&](const auto& x) {
    using T = element_t<decltype(x)>;
    if (c.count() > 2) c.reject("of three operands");
    if (c.count() == 1) return c.out(summed<T>(formula, x, nullptr));
    const Tensor<T> y = c.get<T>(1);
    c.out(summed<T>(formula, x, &y));
  });
}

}  // namespace

/// This file's operators.
static const Group group([](Table& table) {
  table["MatMul"] =
      binary<float, double, half, bfloat16>([](auto& x, const auto& y) { return matmul(x, y); });
  table["Gemm"] = gemm;
  table["Einsum"] = einstein;
  table["Det"] = unary<float>([](auto& x) { return weft::det(x); });
});

}  // namespace conformance

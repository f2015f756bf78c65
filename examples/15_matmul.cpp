// Matrix products: batched, fused with the operations that follow, and with einsum.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/explain.hpp>

using namespace weft;

template <class D>
int run(D device) {
  bool right = true;

  // A layer of a network. On CUDA the product, the bias and relu are one call of cuBLASLt.
  auto x = linspace(-1, 1, 64 * 32, device).reshape({64, 32});                  // (batch, in)
  auto weight = cos(linspace(0, 9, 16 * 32, device)).eval().reshape({16, 32});  // (out, in)
  auto bias = linspace(-0.5, 0.5, 16, device);                                  // (out,)
  Tensor hidden = relu(linear(x, weight, bias));                                // (batch, out)
  std::cout << explain(relu(linear(x, weight, bias)));
  Tensor product = matmul(x, weight.t());
  right &= example::check("a layer is a product, a bias and relu",
                          allclose(hidden, maximum(product + bias, 0), {.atol = 1e-5}));

  // Attention for 2 sequences of 8 words and 4 heads: two batches of products, and a row program
  // between them. Transposed operands are read where they are.
  auto query = sin(linspace(0, 3, 2 * 4 * 8 * 16, device)).eval().reshape({2, 4, 8, 16});
  auto key = cos(linspace(0, 5, 2 * 4 * 8 * 16, device)).eval().reshape({2, 4, 8, 16});
  auto value = sin(linspace(1, 7, 2 * 4 * 8 * 16, device)).eval().reshape({2, 4, 8, 16});
  Tensor weights = softmax(matmul(query, key.transpose(2, 3)) * 0.25F);  // (2, 4, 8, 8)
  Tensor mixed = matmul(weights, value);                                 // (2, 4, 8, 16)
  right &= example::check("the weights of each word sum to 1",
                          allclose(sum(weights, axis(-1)), 1, {.atol = 1e-5}));

  // The same by the names of the axes: batch, head, word, other word, channel.
  Tensor scores = einsum("bhic,bhjc->bhij", query, key);
  Tensor again = einsum("bhij,bhjc->bhic", softmax(scores * 0.25F), value);
  right &= example::check("einsum says the same", allclose(mixed, again, {.atol = 1e-5}));

  // alpha a b + beta c in place, as in BLAS.
  auto a = linspace(0, 1, 9, device).reshape({3, 3});
  Tensor c = eye(3, 3, device);
  c = 2 * matmul(a, a) - 3 * c;
  right &= example::check("the trace", std::abs(einsum("ii->", c).item() + 3.375F) < 1e-4F);

  // Half types are summed in float and rounded once.
  auto ones_of = full({1, 4096}, bfloat16(1.0F), device);
  right &= example::check("4,096 ones", matmul(ones_of, ones_of.t()).item() == 4096);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}

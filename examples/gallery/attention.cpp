// Attention by hand: several heads, a causal mask, softmax.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cmath>
#include <iostream>

using namespace weft;

int main() {
  manual_seed(7);
  const int batch = 2, length = 6, heads = 4, width = 32;
  Tensor x = randn(batch, length, width);
  Tensor wq = randn(width, width) / std::sqrt(width);
  Tensor wk = randn(width, width) / std::sqrt(width);
  Tensor wv = randn(width, width) / std::sqrt(width);

  auto split_heads = [&](const auto& y) {
    return y.reshape(batch, length, heads, -1).permute(0, 2, 1, 3);  // (batch, head, place, depth)
  };
  auto q = split_heads(matmul(x, wq));
  auto k = split_heads(matmul(x, wk));
  auto v = split_heads(matmul(x, wv));

  Tensor score = matmul(q, k.transpose(-2, -1)) / std::sqrt(width / heads);
  auto later = arange(length).unsqueeze(0) > arange(length).unsqueeze(1);  // (place, other)
  score[later.expand(score.shape())] = -INFINITY;
  Tensor p = softmax(score, 3);
  auto y = matmul(p, v).permute(0, 2, 1, 3).reshape(batch, length, width);

  std::cout << "weights of the last place: " << p(0, 0, -1) << "\n";
  bool first = allclose(y(all, 0), matmul(x(all, 0), wv), {.atol = 1e-4});
  return first && allclose(sum(p, axis(-1)), 1) && p.at(0, 0, 0, 1) == 0 ? 0 : 1;
}

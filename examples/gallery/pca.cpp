// Principal components by power iteration.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cmath>
#include <iostream>

using namespace weft;

int main() {
  manual_seed(2);
  auto scale = tensor({5.0F, 2, 0.5F});
  Tensor turn = tensor({{0.6F, 0.8F, 0.0F}, {-0.8F, 0.6F, 0.0F}, {0.0F, 0.0F, 1.0F}});
  Tensor x = matmul(randn(2000, 3) * scale, turn) + 7;  // (sample, feature)

  Tensor centred = x - mean(x, axis(0));
  Tensor covariance = matmul(centred.t(), centred) / (x.size(0) - 1);

  std::vector<Tensor<float>> components;
  for (int k = 0; k < 2; ++k) {
    Tensor v = normalize(ones(3), 0);
    Tensor before = zeros(3);
    while (norm(v - before) > 1e-5) {
      before = v.clone();
      v = normalize(matmul(covariance, v), 0);
    }
    float variance = dot(v, matmul(covariance, v));
    std::cout << "component " << v << ", variance " << variance << "\n";
    covariance = covariance - variance * outer(v, v);
    components.push_back(v);
  }

  auto projected = matmul(centred, stack(components).t());  // (sample, component)
  std::cout << "projected: " << projected.shape() << "\n";
  bool first = std::abs(dot(components[0], turn(0)).item()) > 0.99;
  return first && allclose(var(projected, axis(0)), tensor({25.0F, 4}), {.rtol = 0.15}) ? 0 : 1;
}

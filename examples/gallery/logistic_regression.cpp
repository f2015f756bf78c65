// Logistic regression by gradient descent, with the gradient written out.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

int main() {
  manual_seed(3);
  Tensor x = randn(500, 2);
  Tensor y = cast<float>(x(all, 0) + 2 * x(all, 1) > 0.5);

  Tensor w = zeros(2);
  float b = 0;
  for (int step = 0; step < 500; ++step) {
    Tensor error = sigmoid(matmul(x, w) + b) - y;
    w -= 0.5 * matmul(x.t(), error) / x.size(0);
    b -= 0.5F * mean(error);
  }

  float accuracy = mean((sigmoid(matmul(x, w) + b) > 0.5) == (y > 0.5));
  std::cout << "w = " << w << ", b = " << b << ", accuracy " << accuracy << "\n";
  return accuracy > 0.97 ? 0 : 1;
}

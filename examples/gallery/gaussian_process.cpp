// Gaussian process: a curve through noisy points, its scales learned by the gradient of a Cholesky.
// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd.hpp>
#include <weft/linalg.hpp>
#include <weft/optim.hpp>

#include <iostream>

using namespace weft;

// exp(-d^2 / 2) of all pairs, for numbers, tensors and Vars as length.
template <class L>
auto kernel(const Tensor<double>& a, const Tensor<double>& b, const L& length) {
  return exp(-0.5 * square((a(all, newaxis) - b) / length));
}

int main() {
  manual_seed(2);
  Tensor x = sort(rand<double>({40}) * 6).values;
  Tensor y = sin(x) + 0.1 * randn<double>({40});

  Var log_length = parameter(tensor(0.0)), log_noise = parameter(tensor(-1.0));
  optim::Adam optimizer({log_length, log_noise}, {.lr = 0.05});
  for (int step = 0; step < 80; ++step) {
    optimizer.zero_grad();
    Var factor = cholesky(kernel(x, x, exp(log_length)) + exp(2 * log_noise) * eye<double>(40));
    Var loss = 0.5 * dot(y, cholesky_solve(y, factor)) + sum(log(factor.diagonal()));
    loss.backward();
    optimizer.step();
  }

  double length = std::exp(log_length.item()), noise = std::exp(log_noise.item());
  Tensor at = linspace<double>(0.5, 5.5, 11);
  Tensor factor = cholesky(kernel(x, x, length) + noise * noise * eye<double>(40));
  Tensor between = kernel(x, at, length);  // (point, place)
  Tensor curve = matmul(cholesky_solve(y, factor), between);
  Tensor error = sqrt(1 - sum(square(triangular_solve(factor, between, {})), axis(0)));
  std::cout << "length " << length << ", noise " << noise << "\n" << curve << "\n" << error << "\n";
  return max(abs(curve - sin(at))) < 0.15 && std::abs(noise - 0.1) < 0.05 ? 0 : 1;
}

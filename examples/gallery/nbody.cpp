// N-body: stars that attract each other; the conserved quantities are checked.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cmath>
#include <iostream>

using namespace weft;

const double softening = 0.05;

Tensor<double> acceleration(const Tensor<double>& x, const Tensor<double>& mass) {
  auto apart = x.unsqueeze(0) - x.unsqueeze(1);  // (on, by, axis)
  auto distance2 = sum(square(apart), axis(-1), keepdims) + softening * softening;
  return sum(mass.reshape(1, -1, 1) * apart / pow(distance2, 1.5), axis(1));  // (on, axis)
}

double energy(const Tensor<double>& x, const Tensor<double>& v, const Tensor<double>& mass) {
  Tensor apart = x.unsqueeze(0) - x.unsqueeze(1);
  Tensor distance = sqrt(sum(square(apart), axis(-1)) + softening * softening);
  double potential = -0.5 * sum(outer(mass, mass) * (1 - eye<double>(x.size(0))) / distance);
  return 0.5 * sum(mass * sum(square(v), axis(1))) + potential;
}

int main() {
  manual_seed(4);
  const int n = 64;
  Tensor x = randn<double>(n, 3);
  Tensor v = 0.3 * randn<double>(n, 3);
  Tensor mass = full({n}, 1.0 / n);
  const double before = energy(x, v, mass);

  const double dt = 0.005;
  Tensor a = acceleration(x, mass);
  for (int step = 0; step < 400; ++step) {
    v += 0.5 * dt * a;
    x += dt * v;
    a = acceleration(x, mass);
    v += 0.5 * dt * a;
  }

  const double drift = std::abs(energy(x, v, mass) / before - 1);
  std::cout << "energy " << before << ", drift " << drift << "\n";
  return drift < 0.01 ? 0 : 1;
}

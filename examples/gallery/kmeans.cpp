// k-means: points around three centres, found again.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

int main() {
  manual_seed(1);
  auto truth = tensor({{0.0F, 0.0F}, {5.0F, 5.0F}, {0.0F, 5.0F}});         // (centre, axis)
  auto points = truth[randint(0, 3, {300})] + 0.5 * randn(300, 2).eval();  // (point, axis)
  Tensor x = points;
  Tensor centres = x[tensor<std::int64_t>({0, 1, 2})];

  // Start from points that are far apart.
  for (int k = 1; k < 3; ++k) {
    auto nearest = min(sum(square(x.unsqueeze(1) - centres(slice(0, k))), axis(-1)), axis(1));
    centres(k, all) = x(argmax(nearest).item());
  }

  Tensor<std::int64_t> label;
  for (int step = 0; step < 20; ++step) {
    label = argmin(sum(square(x.unsqueeze(1) - centres), axis(-1)), axis(1));  // (point,)
    Tensor before = centres.clone();
    for (int k = 0; k < 3; ++k) centres(k, all) = mean(x[label == k], axis(0));
    if (norm(centres - before) < 1e-4) break;
  }

  std::cout << centres << "\n";
  auto off = min(norm(centres.unsqueeze(1) - truth, axis(-1)), axis(0));
  return max(off) < 0.2 ? 0 : 1;
}

// The Mandelbrot set as text.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

int main() {
  auto re = linspace(-2.2, 0.8, 61);               // (column,)
  auto im = linspace(-1.2, 1.2, 25).unsqueeze(1);  // (row, 1)
  Tensor a = zeros(25, 61);
  Tensor b = zeros(25, 61);
  Tensor steps = zeros<int>(25, 61);

  for (int step = 0; step < 50; ++step) {
    auto inside = a * a + b * b <= 4;
    steps[inside] += 1;
    tie(a, b) = fuse(where(inside, a * a - b * b + re, a), where(inside, 2 * a * b + im, b));
  }

  for (auto row : steps) {
    for (int s : row) std::cout << " .:-=+*#%@"[s * 9 / 50];
    std::cout << "\n";
  }
  // The origin (near column 44 of the middle row) is in the set, the far left is not, and the set
  // is its own mirror image.
  return steps.at(12, 44) == 50 && steps.at(12, 0) < 3 && equal(steps, steps.flip(0)) ? 0 : 1;
}

// Histogram equalisation of a dark picture.
// SPDX-License-Identifier: Apache-2.0
#include <weft/weft.hpp>

#include <cmath>
#include <iostream>

using namespace weft;

int main() {
  manual_seed(5);
  // Brightness 0 to 255, most of it dark.
  auto picture = cast<std::uint8_t>(255 * pow(rand(120, 160), 3)).eval();

  auto counts = bincount(picture.flatten(), 256);
  auto share = cast<float>(cumsum(counts)) / picture.numel();  // up to each brightness
  Tensor lookup = cast<std::uint8_t>(round(255 * share));
  Tensor equalised = take(lookup, picture);

  std::cout << "mean " << mean(picture) << " -> " << mean(equalised) << "\n";
  std::cout << "deviation " << stddev(cast<float>(equalised)) << "\n";
  bool spread = std::abs(mean(equalised) - 127.5) < 10;
  // The order of brightness is kept.
  return spread && all(lookup(slice(1, none)) >= lookup(slice(0, -1))) ? 0 : 1;
}

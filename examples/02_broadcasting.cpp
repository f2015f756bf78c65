// Broadcasting: a column and a row make a table, without a loop.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <cmath>

using namespace weft;

template <class Device>
int run(Device device) {
  // Sizes are aligned at the right; a size of 1 stretches, as in NumPy.
  auto celsius = linspace(10, -20, 7, device)(all, newaxis);  // (7, 1)
  auto wind = tensor({5.0F, 10.0F, 20.0F, 40.0F}, device);    // (4,) in km/h

  // What the air feels like (Environment Canada and the US National Weather Service, 2001).
  auto cooling = pow(wind, 0.16);  // (4,), not computed yet
  Tensor feels = 13.12 + 0.6215 * celsius + (0.3965 * celsius - 11.37) * cooling;  // (7, 4)

  std::cout << "air    wind   5     10     20     40 km/h\n";
  const auto air = celsius.to(Cpu{});
  const auto table = feels.to(Cpu{});
  bool right = table.shape() == Shape{7, 4};
  for (int i = 0; i < 7; ++i) {
    std::printf("%5.0f    ", air.at(i, 0));
    for (int j = 0; j < 4; ++j) {
      const float t = air.at(i, 0);
      const float v = std::pow(5.0F * std::exp2(static_cast<float>(j)), 0.16F);
      const float expected = 13.12F + 0.6215F * t + (0.3965F * t - 11.37F) * v;
      right = right && std::abs(table.at(i, j) - expected) < 1e-4F;
      std::printf("%7.1f", table.at(i, j));
    }
    std::printf(" C\n");
  }
  right = example::check("the table is what a loop computes", right);

  // Shapes that do not fit together throw an exception that says so, before anything runs.
  std::string message;
  try {
    (void)(wind + ones({3}, device));
  } catch (const ShapeError& error) {
    message = error.what();
  }
  std::cout << message << "\n";
  right &= example::check("(4,) and (3,) do not broadcast",
                          message.find("(4,) and (3,)") != std::string::npos);
  return right ? 0 : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}

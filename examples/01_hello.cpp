// Hello: a formula over whole tensors is one statement, and one pass over memory.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <cmath>

using namespace weft;

template <class Device>
int run(Device device) {
  auto x = tensor({{1.0F, 2.0F, 3.0F}, {4.0F, 5.0F, 6.0F}}, device);  // (2, 3)
  auto y = full({2, 3}, 0.25F, device);                               // (2, 3)

  // Nothing runs and nothing is stored until the expression becomes a Tensor; then everything
  // runs at once: on a GPU this line is one kernel.
  Tensor z = tanh(x * y) * exp(-x) + 0.5;  // (2, 3)

  std::cout << "x:\n" << x << "\nz:\n" << z << "\n";

  // .item() brings one element to the CPU, wherever the tensor is.
  const float expected = std::tanh(6 * 0.25F) * std::exp(-6.0F) + 0.5F;
  return example::check("the last element is what <cmath> says",
                        std::abs(z(1, 2).item() - expected) < 1e-6F)
             ? 0
             : 1;
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) { return run(device); });
}

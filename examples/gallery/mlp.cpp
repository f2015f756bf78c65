// A small network that learns which of two spirals a point is on.
// SPDX-License-Identifier: Apache-2.0
#include <weft/nn.hpp>
#include <weft/optim.hpp>
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

struct Net {
  nn::Linear<Cpu> a{2, 32};
  nn::Linear<Cpu> b{32, 32};
  nn::Linear<Cpu> c{32, 2};
  auto fields() { return nn::fields("a", a, "b", b, "c", c); }
  Var<float> operator()(const Tensor<float>& x) const { return c(tanh(b(tanh(a(x))))); }
};

int main() {
  manual_seed(8);
  Tensor turn = 4 * sqrt(rand(400));
  Tensor label = randint(0, 2, {400});
  auto angle = turn + 3.14159 * cast<float>(label);
  Tensor x = stack(turn * cos(angle), turn * sin(angle), axis(1)) / 2;  // (point, axis)

  Net net;
  optim::Adam optimizer(nn::parameters(net), {.lr = 0.01});
  for (int step = 0; step < 400; ++step) {
    Var loss = cross_entropy(net(x), label);
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    if (step % 100 == 0) std::cout << "step " << step << ", loss " << loss.item() << "\n";
  }

  float accuracy = mean(argmax(net(x), axis(1)) == label);
  std::cout << "accuracy " << accuracy << "\n";
  return accuracy > 0.95 ? 0 : 1;
}

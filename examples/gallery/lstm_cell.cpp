// An LSTM cell written by hand learns to remember the first of several numbers.
// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd.hpp>
#include <weft/optim.hpp>
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

const int hidden = 16;

int main() {
  manual_seed(9);
  Var wx = parameter(0.5 * randn(1, 4 * hidden));
  Var wh = parameter(randn(hidden, 4 * hidden) / 4);
  Var bias = parameter(zeros(4 * hidden));
  Var out = parameter(randn(hidden, 1) / 4);
  optim::Adam optimizer({wx, wh, bias, out}, {.lr = 0.02});

  float loss_now = 0;
  for (int step = 0; step < 200; ++step) {
    Tensor x = 2 * rand(64, 5) - 1;  // (sample, time)
    Var h = zeros(64, hidden);
    Var c = zeros(64, hidden);
    for (int t = 0; t < 5; ++t) {
      Var gates = matmul(x(all, slice(t, t + 1)), wx) + matmul(h, wh) + bias;
      auto g = gates.chunk(4, 1);  // input, forget, cell, output
      c = sigmoid(g[1]) * c + sigmoid(g[0]) * tanh(g[2]);
      h = sigmoid(g[3]) * tanh(c);
    }
    Var loss = mean(square(matmul(h, out) - x(all, slice(0, 1))));
    optimizer.zero_grad();
    loss.backward();
    optimizer.step();
    loss_now = loss.item();
    if (step % 50 == 0) std::cout << "step " << step << ", loss " << loss_now << "\n";
  }
  std::cout << "loss " << loss_now << "\n";
  return loss_now < 0.1F ? 0 : 1;
}

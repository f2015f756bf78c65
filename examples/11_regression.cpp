// Gradients: a regression line and a decision boundary, both found by gradient descent.
// SPDX-License-Identifier: Apache-2.0
#include "example.hpp"

#include <weft/autograd.hpp>

using namespace weft;

/// Linear regression: y = x w + b, by the mean squared error.
template <class D>
bool line(D device) {
  default_generator().manual_seed(1);
  const Tensor x = randn({256, 2}, device);            // (point, feature)
  const Tensor truth = tensor({2.0F, -3.0F}, device);  // (feature,)
  const Tensor y = matmul(x, truth) + 0.5F + 0.01F * randn({256}, device);

  const Var w = parameter(zeros({2}, device));
  const Var b = parameter(zeros({}, device));
  for (int step = 0; step < 100; ++step) {
    const Var loss = mean(square(matmul(x, w) + b - y));
    loss.backward();
    const NoGrad guard;
    for (const Var<float, D>& p : {w, b}) {
      p.assign(p.detach() - 0.1F * p.grad());
      p.zero_grad();
    }
  }
  std::cout << "w " << w.detach() << ", b " << b.detach() << "\n";
  return example::check("the line is found", allclose(w.detach(), truth, {0, 0.01}) &&
                                                 std::abs(b.item() - 0.5F) < 0.01F);
}

/// Logistic regression: two clouds of points, by the cross entropy of their classes.
template <class D>
bool boundary(D device) {
  const Tensor classes = randint(0, 2, {512}, device);  // (point,)
  const Tensor centres = tensor({{-1.0F, 0.0F}, {1.0F, 1.0F}}, device);
  const Tensor x = take(centres, classes, axis(0)) + 0.5F * randn({512, 2}, device);

  const Var w = parameter(zeros({2, 2}, device));  // (feature, class)
  const Var b = parameter(zeros({2}, device));
  for (int step = 0; step < 100; ++step) {
    const Var loss = cross_entropy(matmul(x, w) + b, classes);
    loss.backward();
    const NoGrad guard;
    for (const Var<float, D>& p : {w, b}) {
      p.assign(p.detach() - 0.5F * p.grad());
      p.zero_grad();
    }
  }
  const Tensor found = argmax(matmul(x, w.detach()) + b.detach(), axis(1));
  const double right = mean(cast<float>(found == classes)).item();
  std::cout << 100 * right << " % of the points are on their side\n";
  return example::check("the classes are told apart", right > 0.95);
}

int main(int argc, char** argv) {
  return example::main(argc, argv, [](auto device) {
    const bool right = line(device);
    return boundary(device) && right ? 0 : 1;
  });
}

// A function with a user-defined gradient, checked against finite differences.
// SPDX-License-Identifier: Apache-2.0
#include <weft/autograd.hpp>
#include <weft/weft.hpp>

#include <iostream>

using namespace weft;

/// log(1 + exp(x)) where large x does not overflow, and its derivative.
struct SoftPlus {
  template <class T>
  WEFT_HD T operator()(T x) const {
    return x > 20 ? x : math::log1p(math::exp(x));
  }
  template <int, class T>
  WEFT_HD T derivative(T x, T) const {
    return 1 / (1 + math::exp(-x));
  }
};

/// Rounds, and lets gradients pass as if it did not.
auto straight_through(const auto& x) {
  return custom([](const auto& v) { return round(v).eval(); },
                [](const auto& g, const auto&, const auto&) { return g; }, x);
}

int main() {
  Var x = parameter(tensor({-30.0, -1.0, 0.5, 30.0}));
  Var y = sum(map(SoftPlus{}, x));
  y.backward();
  std::cout << "softplus " << y.item() << ", gradient " << x.grad() << "\n";
  bool right = allclose(x.grad(), sigmoid(x.detach()));
  right = right && gradcheck([](const auto& v) { return Var(map(SoftPlus{}, v)); }, x);

  x.zero_grad();
  Var z = sum(square(straight_through(x)));
  z.backward();
  std::cout << "straight through " << x.grad() << "\n";
  return right && allclose(x.grad(), 2 * round(x.detach())) ? 0 : 1;
}

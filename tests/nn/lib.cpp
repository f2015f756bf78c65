// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD_NN  // what the library holds is defined here: floats run through it
#include <weft/nn.hpp>
#include <weft/nn/lib.hpp>
#undef WEFT_LIB_BUILD_NN

#include "test.hpp"

namespace weft {}  // namespace weft

/// The loss of a small network and the gradient of its first weight, as doubles.
template <class T>
static std::vector<double> learn() {
  using namespace weft;
  const auto numbers = [](const Shape& shape, double step) {
    return Var<T>(cast<T>(cos(arange<double>(shape.size()) * step)).eval().reshape(shape), true);
  };
  nn::Conv2d<Cpu, T> conv(1, 2, 3, {.padding = 1});
  nn::BatchNorm2d<Cpu, T> norm(2);
  nn::Linear<Cpu, T> fc(8, 3);
  conv.weight = numbers({2, 1, 3, 3}, 0.7);
  conv.bias = numbers({2}, 0.3);
  fc.weight = numbers({3, 8}, 0.9);
  fc.bias = numbers({3}, 0.4);
  const Var<T> h = max_pool2d(norm.relu(conv(numbers({4, 1, 4, 4}, 1.3))), 2);
  const Var<T> loss = cross_entropy(fc(nn::Flatten{}(h)), tensor<int64_t>({0, 2, 1, 2}));
  loss.backward();
  std::vector<double> out{static_cast<double>(loss.item())};
  for (const T x : conv.weight.grad().to_vector()) out.push_back(static_cast<double>(x));
  return out;
}

TEST_CASE("what weft::lib holds of layers gives what others compile for doubles") {
  const auto held = learn<float>();
  const auto wanted = learn<double>();
  REQUIRE(held.size() == wanted.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    CHECK(held[i] == doctest::Approx(wanted[i]).epsilon(1e-4));
  }
}

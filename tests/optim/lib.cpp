// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD_NN  // what the library holds is defined here: floats run through it
#include <weft/optim.hpp>
#include <weft/optim/lib.hpp>
#undef WEFT_LIB_BUILD_NN

#include "test.hpp"

namespace weft {}  // namespace weft

/// What three steps of an optimizer make of some numbers.
template <class T, template <class, class> class O>
static std::vector<T> stepped(double lr) {
  using namespace weft;
  const Var x = parameter(cast<T>(linspace<double>(-1, 1, 5)));
  O<T, Cpu> optimizer(std::vector{x}, {.lr = lr});
  for (int i = 0; i < 3; ++i) {
    optimizer.zero_grad();
    const Var loss = sum(square(x) * x);
    loss.backward();
    optimizer.step();
  }
  return x.value().to_vector();
}

template <template <class, class> class O>
static void check_held(double lr) {
  const auto held = stepped<float, O>(lr);
  const auto wanted = stepped<double, O>(lr);
  for (std::size_t i = 0; i < held.size(); ++i) {
    CHECK(static_cast<double>(held[i]) == doctest::Approx(wanted[i]).epsilon(1e-4));
  }
}

TEST_CASE("the optimizers that weft::lib holds step as others compile them for doubles") {
  check_held<weft::optim::AdamW>(0.1);
  check_held<weft::optim::Adam>(0.1);
  check_held<weft::optim::SGD>(0.05);
}

// Adam's step without bias correction, as weft and its rivals are timed at: operands and results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include "inputs.hpp"

namespace bench {

struct Adam {
  static constexpr float beta1 = 0.9F;
  static constexpr float beta2 = 0.999F;
  static constexpr float rate = 1e-3F;
  static constexpr float epsilon = 1e-8F;

  Gpu<> p, g, m, v;

  static Adam make(int64_t n, unsigned seed) {
    return {filled({n}, seed), filled({n}, seed + 1), filled({n}, seed + 2),
            filled({n}, seed + 3, Range::unit)};
  }

  /// What the step makes of the operands of set 0.
  static double new_m(int64_t i) {
    return double{beta1} * input(2, i) + (1 - double{beta1}) * input(1, i);
  }
  static double new_v(int64_t i) {
    const double g = input(1, i);
    return double{beta2} * input(3, i, Range::unit) + (1 - double{beta2}) * g * g;
  }
  static double new_p(int64_t i) {
    return input(0, i) - double{rate} * new_m(i) / (std::sqrt(new_v(i)) + double{epsilon});
  }
};

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/vector.hpp>

#include <vector>

#include "test.hpp"

namespace {
using weft::cpu::detail::Join;
using weft::cpu::detail::join_run;
using weft::cpu::detail::joins;
namespace reducer = weft::reducer;

static_assert(joins<reducer::sum, float> && joins<reducer::sum, std::int64_t>);
static_assert(joins<reducer::max, int> && joins<reducer::min, double>);
static_assert(!joins<reducer::sum, int>);       // summed in 64 bits
static_assert(!joins<reducer::argmax, float>);  // and positions
static_assert(!joins<reducer::max, std::int8_t>);
static_assert(!joins<reducer::sum, weft::complex<float>>);

constexpr auto same = [](auto&) {};

template <class R, class C>
C joined(const std::vector<C>& x, C empty) {
  return join_run<Join<R>>(x.data(), static_cast<int>(x.size()), empty, same);
}

template <class C>
void check_all() {
  for (int m = 0; m < 300; ++m) {
    // Behind the last value stand others, which must not count.
    std::vector<C> memory(static_cast<std::size_t>(m + 64), C(1000));
    std::int64_t sum = 0;
    C largest = C(-1000);
    C smallest = C(1000);
    for (int i = 0; i < m; ++i) {
      const int v = (i * 37 + m) % 101 - 50;
      memory[static_cast<std::size_t>(i)] = static_cast<C>(v);
      sum += v;
      largest = static_cast<C>(v) > largest ? static_cast<C>(v) : largest;
      smallest = static_cast<C>(v) < smallest ? static_cast<C>(v) : smallest;
    }
    CAPTURE(m);
    CHECK(join_run<Join<reducer::sum>>(memory.data(), m, C(0), same) == static_cast<C>(sum));
    CHECK(join_run<Join<reducer::max>>(memory.data(), m, C(-1000), same) == largest);
    CHECK(join_run<Join<reducer::min>>(memory.data(), m, C(1000), same) == smallest);
    CHECK(join_run<Join<reducer::sum>>(memory.data(), m, C(0), [](auto& x) { x -= C(3); }) ==
          static_cast<C>(sum - 3 * m));
  }
}
}  // namespace

TEST_CASE("runs of every length are joined, each value once and none behind them") {
  check_all<float>();
  check_all<double>();
  check_all<std::int32_t>();
  check_all<std::int64_t>();
}

TEST_CASE("a product") {
  std::vector<double> x(70, 1);
  x[0] = 3;
  x[69] = -2;
  x[35] = 5;
  CHECK(joined<reducer::prod>(x, 1.0) == -30);
}

TEST_CASE("NaN is the largest and the smallest, wherever it stands") {
  for (std::size_t at : {0U, 1U, 7U, 8U, 63U, 64U, 71U, 72U, 74U}) {
    for (std::size_t m : {at + 1, std::size_t{75}, std::size_t{160}}) {
      std::vector<float> x(m, 1);
      x[at] = weft::math::nan<float>;
      const float max = joined<reducer::max>(x, -weft::math::infinity<float>);
      const float min = joined<reducer::min>(x, weft::math::infinity<float>);
      CHECK(max != max);
      CHECK(min != min);
      // Also where values behind it would win.
      x.push_back(at % 2 == 0 ? 5.F : -5.F);
      const float either = at % 2 == 0 ? joined<reducer::max>(x, -weft::math::infinity<float>)
                                       : joined<reducer::min>(x, weft::math::infinity<float>);
      CHECK(either != either);
    }
  }
}

TEST_CASE("a NaN behind the last value does not count") {
  for (int m = 0; m < 80; ++m) {
    std::vector<double> x(static_cast<std::size_t>(m + 8), weft::math::nan<double>);
    for (int i = 0; i < m; ++i) x[static_cast<std::size_t>(i)] = i;
    CHECK(join_run<Join<reducer::max>>(x.data(), m, -1.0, same) == m - 1);
  }
}

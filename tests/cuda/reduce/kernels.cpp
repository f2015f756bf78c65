#include "weft/cuda/reduce/kernels.hpp"

#include "test.hpp"

// The kernels run in tests/cuda/reduce.cpp; here, what bounds a block's shared memory.
template <class State>
constexpr bool fits(int lanes) {
  return sizeof(State) * static_cast<unsigned>(lanes) <= 32;
}
static_assert(weft::cuda::column_lanes<weft::reducer::Sum<float>, 4> == 4);
static_assert(weft::cuda::column_lanes<weft::reducer::Extremum<float>, 16> == 2);
static_assert(fits<weft::reducer::Moments<double>>(
    weft::cuda::column_lanes<weft::reducer::Moments<double>, 16>));

TEST_CASE("a warp's worth of columns with every width of state [gpu] [sanitize]") {
  const auto x = weft::arange<double>(64 * 40, weft::Cuda{}).reshape({64, 40});
  const auto v = var(x, weft::axis(0)).eval().to_vector();
  for (double each : v) CHECK(each == doctest::Approx(1600.0 * (64 * 64 - 1) / 12 * 64 / 63));
  const auto c = count_nonzero(cast<std::int8_t>(x * 0 + 1), weft::axis(0)).eval().to_vector();
  for (auto each : c) CHECK(each == 64);
}

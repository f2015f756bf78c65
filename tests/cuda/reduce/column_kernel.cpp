#include "weft/cuda/reduce/column_kernel.hpp"

#include <cmath>
#include <vector>

#include "test.hpp"

// The kernels run in tests/cuda/reduce.cpp; here, what bounds a block's shared memory.
template <class State>
constexpr bool fits(int lanes) {
  return sizeof(State) * static_cast<unsigned>(lanes) <= 32;
}
static_assert(weft::cuda::column_lanes<weft::reducer::Sum<float>, 4> == 4);
static_assert(weft::cuda::column_lanes<weft::reducer::Extremum<float>, 16> == 4);
static_assert(weft::cuda::column_lanes<weft::reducer::Extremum<std::uint8_t>, 16> == 8);
static_assert(fits<weft::reducer::Moments<double>>(
    weft::cuda::column_lanes<weft::reducer::Moments<double>, 16>));

TEST_CASE("a warp's worth of columns with every width of state [gpu] [sanitize]") {
  const auto x = weft::arange<double>(64 * 40, weft::Cuda{}).reshape({64, 40});
  const auto v = var(x, weft::axis(0)).eval().to_vector();
  for (double each : v) CHECK(each == doctest::Approx(1600.0 * (64 * 64 - 1) / 12 * 64 / 63));
  const auto c = count_nonzero(cast<std::int8_t>(x * 0 + 1), weft::axis(0)).eval().to_vector();
  for (auto each : c) CHECK(each == 64);
}

TEST_CASE("results of short columns, stored as vectors and one by one [gpu] [sanitize]") {
  using weft::axis;
  for (const std::int64_t n : {1, 2, 3, 5, 9, 31}) {
    CAPTURE(n);
    const auto x = weft::arange<float>(6 * n * 64, weft::Cuda{}).reshape({6, n, 64});
    auto z = weft::zeros<float>({6, 65}, weft::Cuda{});
    const weft::Tensor<float, weft::Cuda> whole = max(1.0F + x, axis(1));
    z.narrow(1, 1, 64) = max(1.0F + x, axis(1));  // begins between vectors
    const auto w = whole.to_vector();
    const auto v = z.to_vector();
    int wrong = 0;
    for (std::int64_t i = 0; i < 6; ++i) {
      wrong += v[static_cast<std::size_t>(65 * i)] != 0;
      for (std::int64_t j = 0; j < 64; ++j) {
        const auto expected = static_cast<float>(1 + (i * n + n - 1) * 64 + j);
        wrong += w[static_cast<std::size_t>(64 * i + j)] != expected;
        wrong += v[static_cast<std::size_t>(65 * i + 1 + j)] != expected;
      }
    }
    CHECK(wrong == 0);
  }
}

TEST_CASE("positions in columns of elements of one byte [gpu] [sanitize]") {
  using weft::axis;
  std::vector<std::uint8_t> values(std::size_t{300} * 64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<std::uint8_t>(i * 7919 % 251);
  }
  const auto x = weft::tensor(values, {300, 64});
  const auto on = x.to(weft::Cuda{});
  CHECK(argmax(on, axis(0)).eval().to_vector() == argmax(x, axis(0)).eval().to_vector());
  CHECK(argmin(on > 100, axis(0)).eval().to_vector() ==
        argmin(x > 100, axis(0)).eval().to_vector());
}

TEST_CASE("positions in short columns, with ties and without a number [gpu] [sanitize]") {
  using weft::axis;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 17}) {
    CAPTURE(n);
    std::vector<float> values;
    for (std::int64_t i = 0; i < 6 * n * 65; ++i) {
      values.push_back(i % 53 == 5 ? NAN : static_cast<float>(i * 7919 % 11));
    }
    const auto all = weft::tensor(values, {6, n, 65}).to(weft::Cuda{});
    for (const std::int64_t columns : {64, 65}) {
      const auto most = argmax(all.narrow(2, 0, columns), axis(1)).eval().to_vector();
      const auto least = argmin(all.narrow(2, 0, columns), axis(1)).eval().to_vector();
      int wrong = 0;
      for (std::int64_t i = 0; i < 6 * columns; ++i) {
        const auto at = [&](std::int64_t k) {
          return values[static_cast<std::size_t>((i / columns * n + k) * 65 + i % columns)];
        };
        std::int64_t first = 0;
        std::int64_t last = 0;
        for (std::int64_t k = 1; k < n; ++k) {
          if (at(first) == at(first) && !(at(k) <= at(first))) first = k;
          if (at(last) == at(last) && !(at(k) >= at(last))) last = k;
        }
        wrong += most[static_cast<std::size_t>(i)] != first;
        wrong += least[static_cast<std::size_t>(i)] != last;
      }
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("large column sums take as many pieces as run at a time [gpu]") {
  const auto x = weft::ones<float>({4099, 1032}, weft::Cuda{});
  const auto v = sum(x, weft::axis(0)).eval().to_vector();
  for (float each : v) CHECK(each == 4099.F);
}

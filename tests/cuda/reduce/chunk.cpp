#include "weft/cuda/reduce/chunk.hpp"

#include "test.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::Cuda;
using weft::none;
using weft::slice;

#if defined(__CUDACC__)
namespace chunk = weft::cuda::detail;
static_assert(chunk::row_ahead<2, 4, float> == 8);
static_assert(chunk::row_ahead<3, 4, float> == 4);
static_assert(chunk::row_ahead<2, 16, long long> * 16 <= 32);
static_assert(chunk::column_ahead<5, 4, float> == 2 && chunk::column_ahead<2, 4, float> == 2);
static_assert(chunk::row_blocks<2, 4, float, false> > chunk::row_blocks<2, 4, double, false>);
static_assert(sizeof(chunk::Words<weft::half, 8>) == 16);
static_assert(sizeof(chunk::Words<std::int8_t, 2>) == 2);
#endif

TEST_CASE("operands that are contiguous, broadcast and positions in one chunk [gpu] [sanitize]") {
  for (weft::int64_t n : {1, 3, 4, 63, 64, 130, 1000, 1024, 4099}) {
    const auto x = weft::arange<float>(7 * n, Cuda{}).reshape({7, n}) / 64;
    const auto scale = weft::arange<float>(7, Cuda{}).reshape({7, 1});
    const auto rows =
        sum(x * scale + weft::arange<float>(n, Cuda{}) * 2, axis(1)).eval().to_vector();
    const auto columns = sum(x * weft::arange<float>(n, Cuda{}), axis(0)).eval().to_vector();
    for (weft::int64_t r = 0; r < 7; ++r) {
      double expected = 0;
      for (weft::int64_t i = 0; i < n; ++i) {
        expected += static_cast<double>(r * n + i) / 64 * static_cast<double>(r) +
                    2.0 * static_cast<double>(i);
      }
      CHECK(rows[static_cast<std::size_t>(r)] == doctest::Approx(expected).epsilon(1e-6));
    }
    const auto last = static_cast<double>(n - 1);
    const double expected = (7 * last + 21 * static_cast<double>(n)) / 64 * last;
    CHECK(columns.back() == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE_TEMPLATE("elements of every width, from every start [gpu] [sanitize]", T, std::int8_t,
                   weft::half, double) {
  for (weft::int64_t n : {64, 333, 2049}) {
    const auto x = cast<T>(weft::arange<float>(5 * n, Cuda{}) % 7).eval().reshape({5, n});
    for (weft::int64_t start = 0; start < 5; ++start) {
      const auto part = x(weft::all, slice(start, none));
      const auto rows = sum(cast<float>(sum(part, axis(1)))).item();
      const auto columns = sum(cast<float>(sum(part, axis(0)))).item();
      double expected = 0;
      for (weft::int64_t i = 0; i < 5 * n; ++i)
        expected += i % n < start ? 0 : static_cast<double>(i % 7);
      CHECK(std::abs(rows - expected) <= 2e-3 * expected);
      CHECK(std::abs(columns - expected) <= 2e-3 * expected);
    }
  }
}

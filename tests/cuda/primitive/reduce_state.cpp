#include "weft/cuda/primitive/reduce_state.hpp"

#include "test.hpp"
#include "weft/cuda/reduce.hpp"

using weft::axis;
using weft::Cuda;

TEST_CASE("groups of every width merge all their threads [gpu] [sanitize]") {
  for (weft::int64_t n = 1; n <= 20000; n = n * 3 / 2 + 1) {
    const auto x = weft::arange<double>(3 * n, Cuda{}).reshape({3, n});
    const auto sums = sum(x, axis(1)).eval().to_vector();
    const auto last = argmax(x, axis(1)).eval().to_vector();
    const auto first = argmin(x * 0, axis(1)).eval().to_vector();
    for (weft::int64_t r = 0; r < 3; ++r) {
      const auto row = static_cast<std::size_t>(r);
      CHECK(sums[row] == static_cast<double>(r * n * n + n * (n - 1) / 2));
      CHECK(last[row] == n - 1);
      CHECK(first[row] == 0);
    }
  }
}

TEST_CASE("rounding grows with the levels of a sum, not with its length [gpu]") {
  const weft::int64_t n = 1 << 24;
  const auto x = weft::full({n}, 0.1F, Cuda{});
  const double exact = double{0.1F} * static_cast<double>(n);
  CHECK(std::abs(sum(x).item() / exact - 1) < 1e-6);
  CHECK(std::abs(sum(x.reshape({n / 4, 4}), axis(0)).eval()(0).item() / exact * 4 - 1) < 1e-6);
  CHECK(std::abs(sum(x.reshape({4, n / 4}), axis(1)).eval()(0).item() / exact * 4 - 1) < 1e-6);
}

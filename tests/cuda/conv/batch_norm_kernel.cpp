#include "weft/cuda/conv/batch_norm_kernel.hpp"

#include <weft/cuda/conv/batch_norm_sums.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("sums are of the type that elements are computed in") {
  const weft::cuda::BatchNormGrid<bfloat16> grid{};
  static_assert(std::is_same_v<decltype(grid.sums), float*>);
  CHECK(grid.sums == nullptr);
}

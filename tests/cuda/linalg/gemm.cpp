// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/linalg/gemm.hpp>

#include "matrices.hpp"

using weft::Cuda;
using weft::detail::plan_product;

namespace {
template <class T, class Out>
void check_kernel(test::Random& r, const weft::Shape& shape_a, const weft::Shape& shape_b) {
  const auto a = test::small_numbers<T>(r, shape_a);
  const auto b = test::small_numbers<T>(r, shape_b);
  const auto exact = test::product(a, b);
  for (int how = 0; how < test::layouts; ++how) {
    const auto x = laid_out(a, Cuda{}, how);
    const auto y = laid_out(b, Cuda{}, (how + 2) % test::layouts);
    const auto z = weft::empty<Out>(exact.shape, Cuda{});
    weft::cuda::run_gemm<T, Out>(
        "test", z.shape(), z.device(),
        {plan_product(x.layout(), y.layout(), z.layout(), nullptr), x.data(), y.data(), z.data()});
    CHECK(same(z, test::rounded<Out>({exact.shape, exact.values})));
  }
}
}  // namespace

TEST_CASE("the kernel of weft's own, on any layout [gpu]") {
  test::Random r(1);
  check_kernel<float, float>(r, {33, 70}, {70, 65});
  check_kernel<std::int16_t, std::int16_t>(r, {3, 40, 33}, {33, 31});
  check_kernel<std::int64_t, std::int64_t>(r, {2, 1, 5, 6}, {3, 6, 7});
  check_kernel<weft::half, float>(r, {5, 100}, {100});
}

// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/tile.hpp"

#include "test.hpp"

using weft::Cuda;
using weft::int64_t;
using weft::Tensor;
using weft::cuda::FastDivmod;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;

namespace {

/// Brings rows of x to the tile, which is then twice what it was, and from there to y.
template <class T>
__global__ void twice(const __grid_constant__ RowLoops grid, const __grid_constant__ RowOperand x,
                      const __grid_constant__ RowOperand y, unsigned first, unsigned rows) {
  namespace detail = weft::cuda::detail;
  if (x.staging == RowOperand::whole) {
    detail::move_whole<true>(x, first, rows);
  } else {
    detail::gather_rows(grid, x, first, rows);
  }
  weft::cuda::wait_for_copies();
  T* const elements = reinterpret_cast<T*>(detail::row_tile());
  for (unsigned i = threadIdx.x; i < rows * x.along.divisor; i += blockDim.x) elements[i] *= 2;
  __syncthreads();
  detail::move_whole<false>(y, first, rows);
}

template <class T>
void check(unsigned n, RowOperand::Staging staging) {
  CAPTURE(n);
  const unsigned all = 40;
  const unsigned first = 16;
  const unsigned rows = 13;
  // Gathered rows are apart in memory.
  const auto width = static_cast<int64_t>(staging == RowOperand::whole ? n : n + 3);
  const Tensor<T, Cuda> from =
      (weft::arange(all * width, Cuda{}) % 50).template to<T>().reshape({int64_t{all}, width});
  const auto to = weft::zeros<T>({int64_t{all}, int64_t{n}}, Cuda{});
  RowLoops grid;
  grid.simple = true;
  grid.inner = n;
  RowOperand x{};
  x.data = reinterpret_cast<char*>(from.data());
  x.kept_stride[0] = width * static_cast<int64_t>(sizeof(T));
  x.reduced_stride[0] = sizeof(T);
  x.itemsize = sizeof(T);
  x.staging = staging;
  x.pitch = n * static_cast<unsigned>(sizeof(T));
  x.along = FastDivmod(n);
  RowOperand y = x;
  y.data = reinterpret_cast<char*>(to.data());
  twice<T><<<1, 64, 16384>>>(grid, x, y, first, rows);
  const Tensor<T, Cuda> part = to.narrow(0, first, rows);
  CHECK(equal(part, from.narrow(0, first, rows).narrow(1, 0, n) * T{2}));
  CHECK(equal(to.narrow(0, 0, first), weft::zeros<T>({int64_t{first}, int64_t{n}}, Cuda{})));
  CHECK(equal(to.narrow(0, first + rows, all - first - rows),
              weft::zeros<T>({int64_t{all - first - rows}, int64_t{n}}, Cuda{})));
}

}  // namespace

TEST_CASE_TEMPLATE("rows come to a tile and leave it [gpu] [sanitize]", T, std::int8_t,
                   std::int16_t, float, double) {
  for (const unsigned n : {1U, 3U, 16U, 17U, 50U}) {
    check<T>(n, RowOperand::whole);
    check<T>(n, RowOperand::gathered);
  }
}

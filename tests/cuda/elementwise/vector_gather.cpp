// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/elementwise/vector_gather.hpp>

#include <vector>

#include "array.hpp"
#include "test.hpp"

using weft::axis;
using weft::Cuda;
using weft::Tensor;

// The operands of a gather that comes after many others.
using Late = weft::Apply<weft::op::gathered<float, weft::AlongAxis>,
                         weft::Arg<40, weft::IndexOperand>, weft::Arg<41, std::int32_t>>;
static_assert(weft::cuda::row_access<Late>.indices == std::uint64_t{1} << 41);
static_assert(weft::cuda::row_access<Late>.offsets == std::uint64_t{1} << 40);

namespace {
/// Rows of any width and alignment, gathered and added, are what a loop gives.
template <class T, class I>
void check_rows(std::int64_t width, std::int64_t offset) {
  CAPTURE(width);
  CAPTURE(offset);
  const std::int64_t rows = 37;
  test::Random random(static_cast<std::uint64_t>(width * 8 + offset));
  const auto table = random.array<T>({11, width + offset});
  std::vector<I> ids;
  for (std::int64_t i = 0; i < rows; ++i) ids.push_back(static_cast<I>(random.between(-11, 10)));
  const auto x = table.on(Cuda{})(weft::all, weft::slice(offset, weft::none));
  const auto i = weft::tensor(ids, {rows}, Cuda{});
  std::vector<T> taken;
  std::vector<T> sums(static_cast<std::size_t>(11 * width));
  for (I id : ids) {
    for (std::int64_t c = 0; c < width; ++c) {
      const std::int64_t row = id < 0 ? id + 11 : id;
      taken.push_back(table.at({row, c + offset}));
      T& sum = sums[static_cast<std::size_t>(row * width + c)];
      sum = static_cast<T>(sum + taken.back());
    }
  }
  const Tensor<T, Cuda> z = take(x, i, axis(0));
  CHECK(z.to_vector() == taken);
  const Tensor<T, Cuda> doubled = take(x, i, axis(0)) + take(x, i, axis(0)) - z;
  CHECK(doubled.to_vector() == taken);
  const auto memory = weft::zeros<T>({11, width + offset}, Cuda{});
  const auto target = memory(weft::all, weft::slice(offset, weft::none));
  index_add(target, axis(0), i, z);
  CHECK(target.to_vector() == sums);
  index_copy(target, axis(0), i, z);
  CHECK(equal(take(target, i, axis(0)), z));
  if (offset > 0) CHECK(!any(memory(weft::all, weft::slice(0, offset)) != 0).item());
}
}  // namespace

TEST_CASE("[gpu] rows of any width and alignment") {
  for (std::int64_t width : {1, 3, 4, 7, 8, 16, 33, 64, 260}) {
    for (std::int64_t offset : {0, 1, 4}) {
      check_rows<float, std::int32_t>(width, offset);
      check_rows<weft::half, std::int64_t>(width, offset);
    }
  }
  check_rows<weft::bfloat16, std::int64_t>(64, 0);
  check_rows<std::uint8_t, std::int64_t>(64, 0);
}

TEST_CASE("[gpu] a bad index of a row gives NaN in all of it") {
  const auto x = weft::ones({3, 8}, Cuda{});
  const Tensor<float, Cuda> z = take(x, weft::tensor({0, 3}, Cuda{}), axis(0));
  CHECK_SAYS("[take] index 3 is out of range on cuda:0, expected -3 to 2",
             weft::synchronize(Cuda{}));
  CHECK(all(isnan(z(1))).item());
  CHECK(sum(z(0)).item() == 8);
}

TEST_CASE("[gpu] elements a thread") {
  using Offsets = weft::Arg<1, weft::IndexOperand>;
  using Row = weft::Apply<weft::op::gathered<weft::half, weft::AlongAxis>, Offsets,
                          weft::Arg<2, std::int64_t>>;
  using Types = weft::detail::TypeList<weft::IndexOperand, std::int64_t>;
  CHECK(weft::cuda::row_access<Row>.bytes == 2);
  CHECK(weft::cuda::row_access<Offsets>.bytes == 0);
  CHECK(weft::cuda::row_access<Row>.indices == 4);
  CHECK(weft::cuda::row_access<Row>.offsets == 2);
  CHECK(weft::cuda::lanes_of_rows<weft::half, Types>(2) == 8);
  CHECK(weft::cuda::lanes_of_rows<float, Types>(2) == 4);
  CHECK(weft::cuda::lanes_of_rows<std::uint8_t, Types>(1) == 16);
  CHECK(weft::cuda::lanes_of_rows<double, Types>(24) == 1);
  CHECK(weft::cuda::lanes_of_rows<weft::complex<double>, Types>(2) == 1);
}

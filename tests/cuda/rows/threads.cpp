// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/rows/threads.hpp>

#include <algorithm>
#include <vector>

#include "array.hpp"

using weft::Cuda;
using weft::cuda::FastDivmod;
using weft::cuda::RowLoops;
using weft::cuda::RowOperand;

namespace {

constexpr unsigned threads = 128;
constexpr int vector_bytes = 16;

/// Each thread brings its full vectors of a row to shared memory and writes them from there to
/// where they were, in `out` of rows of grid.count elements; taken[] counts the vectors.
template <class T>
__global__ void bring_rows(const __grid_constant__ RowLoops grid,
                           const __grid_constant__ RowOperand x, T* out, int* taken) {
  extern __shared__ __align__(128) char row_threads_memory[];
  namespace detail = weft::cuda::detail;
  constexpr int lanes = vector_bytes / static_cast<int>(sizeof(T));
  detail::RowPlace place = detail::place_in_block(grid);
  const char* const head = grid.head_operand >= 0 ? detail::row_start(grid, x, place.row) : nullptr;
  detail::divide_row(grid, place, lanes, head, x.itemsize);
  if (!place.active) return;
  detail::stage(grid, x, place.row, place.before, place.lane, place.mine,
                static_cast<unsigned>(__cvta_generic_to_shared(row_threads_memory)), lanes);
  detail::wait_for_copies();
  for (unsigned i = 0; i < place.mine; ++i) {
    const unsigned k = place.lane + i * grid.stride.divisor;
    const T* const from = reinterpret_cast<const T*>(row_threads_memory + i * x.slot_step +
                                                     threadIdx.x * vector_bytes);
    T* const to = out + place.row * grid.count + place.before + k * lanes;
    for (int j = 0; j < lanes; ++j) to[j] = from[j];
    atomicAdd(taken, 1);
  }
}

/// Rows of n elements, `lane` apart, of which `group` threads share each; whether all full vectors
/// come through. Vectors begin where the row's address is aligned if it is `ragged`.
template <class T>
bool comes_through(unsigned rows, unsigned n, unsigned group, int lane, unsigned offset,
                   bool ragged) {
  constexpr unsigned lanes = vector_bytes / sizeof(T);
  test::Random random(n + offset);
  const auto row = static_cast<std::int64_t>(n) * lane;
  const auto a = random.array<T>({static_cast<std::int64_t>(rows) * row + offset});
  const auto x = a.on(Cuda{});
  RowLoops grid;
  grid.rows = rows;
  grid.kept_rank = grid.reduced_rank = 1;
  grid.kept[0] = FastDivmod(rows);
  grid.simple = true;
  grid.count = grid.inner = n;
  grid.length = n / lanes;
  grid.group = group;
  while ((1U << grid.group_shift) < group) ++grid.group_shift;
  grid.rows_a_block = threads / group;
  grid.parts = FastDivmod(1);
  grid.stride = FastDivmod(group);
  grid.head_operand = ragged ? 0 : -1;
  RowOperand operand{};
  operand.data = reinterpret_cast<char*>(x.data() + offset);
  operand.itemsize = sizeof(T);
  operand.lane = lane;
  operand.row = operand.kept_stride[0] = row * static_cast<std::int64_t>(sizeof(T));
  operand.reduced_stride[0] = lane * static_cast<std::int64_t>(sizeof(T));
  operand.vector = operand.reduced_stride[0] * lanes;
  operand.step = operand.vector * group;
  operand.slot_step = vector_bytes * threads;
  const auto out = weft::zeros<T>({rows, n}, Cuda{});
  const auto taken = weft::zeros<int>({}, Cuda{});
  const unsigned each = (grid.length + group - 1) / group;
  const unsigned blocks = (rows + grid.rows_a_block - 1) / grid.rows_a_block;
  bring_rows<T>
      <<<blocks, threads, each * operand.slot_step, weft::cuda::current_stream().handle()>>>(
          grid, operand, out.data(), taken.data());
  weft::cuda::check(cudaGetLastError(), "bring_rows");

  const auto got = out.to_vector();
  std::int64_t vectors = 0;
  for (unsigned r = 0; r < rows; ++r) {
    const auto start = static_cast<std::size_t>(offset + r * row);
    // A tensor's memory begins at 256 bytes or more, so that its elements' numbers tell.
    const unsigned before =
        ragged ? std::min<unsigned>((0U - static_cast<unsigned>(start)) % lanes, n) : 0;
    const unsigned full = (n - before) / lanes;
    vectors += full;
    for (unsigned i = 0; i < n; ++i) {
      const bool inside = i >= before && i < before + full * lanes;
      const T expected = inside ? a.values[start + i * static_cast<std::size_t>(lane)] : T(0);
      if (!(got[r * n + i] == expected)) return false;
    }
  }
  return taken.item() == vectors;
}

}  // namespace

TEST_CASE("each full vector of a row is brought by one thread [gpu] [sanitize]") {
  for (const unsigned group : {1U, 8U, 128U}) {
    for (const unsigned n : {3U, 64U, 103U, 1003U}) {
      CAPTURE(group);
      CAPTURE(n);
      if (n / group > 64) continue;  // more than shared memory holds
      CHECK(comes_through<float>(37, n, group, 1, 0, true));
      CHECK(comes_through<float>(37, n, group, 1, 3, true));
      CHECK(comes_through<float>(37, n / 4 * 4, group, 1, 0, false));
      CHECK(comes_through<float>(5, n, group, 2, 1, false));
    }
  }
}

TEST_CASE("elements of any size, one by one where they lie apart [gpu] [sanitize]") {
  CHECK(comes_through<double>(9, 101, 8, 1, 1, true));
  CHECK(comes_through<double>(9, 101, 8, 3, 1, false));
  CHECK(comes_through<weft::half>(9, 201, 8, 1, 5, true));
  CHECK(comes_through<weft::half>(9, 200, 8, 2, 1, false));
  CHECK(comes_through<std::int8_t>(9, 401, 8, 1, 7, true));
  CHECK(comes_through<std::int8_t>(9, 400, 8, 2, 3, false));
}

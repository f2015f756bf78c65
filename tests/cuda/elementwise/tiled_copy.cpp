// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/elementwise/tiled_copy.hpp"

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "test.hpp"
#include "weft/cuda.hpp"

using weft::all;
using weft::Cuda;
using weft::Shape;
using weft::Tensor;

namespace {

/// Distinct small numbers, which every element type here holds.
template <class T>
Tensor<T> numbers(const Shape& shape) {
  return cast<T>(weft::arange<std::int64_t>(shape.size()) % std::int64_t{127})
      .eval()
      .reshape(shape);
}

/// A copy of x with another order of axes is the same on the GPU as on the CPU.
template <class T>
void agree(const Tensor<T>& x, const Shape& order) {
  CAPTURE(x.shape());
  const auto found = x.to(Cuda{}).permute(order).contiguous();
  CHECK(weft::equal(found.to(weft::Cpu{}), x.permute(order).contiguous()));
}

/// All threads of a tiled copy, on the host; false where the copy has no such plan. `gap` elements
/// lie between rows of the source, which begins at element `start`.
template <int Size>
bool copies_by_tiles(const std::vector<int>& sizes, const std::vector<int>& order, int gap,
                     std::set<int>& ranks, int& paired) {
  using T = weft::detail::word_t<Size>;
  const int rank = static_cast<int>(sizes.size());
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t reach = 1;
  for (int d = rank; d-- > 0;) {
    strides[static_cast<std::size_t>(d)] = reach;
    reach *= sizes[static_cast<std::size_t>(d)];
    if (d == rank - 1) reach += gap;
  }
  weft::detail::Loops loops{rank, {}};
  weft::detail::Operand operands[2];
  std::int64_t count = 1;
  for (int d = rank; d-- > 0;) {
    const auto from = static_cast<std::size_t>(order[static_cast<std::size_t>(d)]);
    loops.size[d] = sizes[from];
    operands[0].stride[d] = count;
    operands[1].stride[d] = strides[from];
    count *= loops.size[d];
  }
  std::vector<T> source(static_cast<std::size_t>(reach));
  std::vector<T> target(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < source.size(); ++i) source[i] = static_cast<T>(i * 7 + i / 251);
  operands[0].data = reinterpret_cast<char*>(target.data());
  operands[1].data = reinterpret_cast<char*>(source.data());
  for (auto& x : operands) x.itemsize = Size;
  const weft::detail::Loops whole = loops;
  const weft::detail::Operand across = operands[1];
  weft::detail::simplify(loops, operands, 2);
  weft::on_cuda::TiledCopy plan;
  weft::on_cuda::CopyLaunch launch;
  if (!weft::on_cuda::detail::plan_tiled(loops, operands, plan, launch)) return false;
  ranks.insert(plan.rank);
  const int each = plan.pairs ? 2 : 1;
  paired += each - 1;
  REQUIRE(plan.elements <=
          each * weft::on_cuda::tiled_lanes(Size) * static_cast<int>(weft::on_cuda::block_threads));
  REQUIRE(launch.shared_bytes <= 65536);
  REQUIRE(launch.blocks <= plan.tiles);
  std::vector<T> shared(static_cast<std::size_t>(launch.shared_bytes / Size), T{99});
  std::vector<weft::on_cuda::detail::TiledThread<Size>> threads;
  for (unsigned t = 0; t < weft::on_cuda::block_threads; ++t) threads.emplace_back(plan, t);
  const auto bytes = static_cast<unsigned>(launch.shared_bytes);
  int elements = 0;
  for (const auto& thread : threads) {
    elements += thread.count;
    for (int k = 0; k < thread.lanes; ++k) {
      const unsigned places = thread.places[k];
      if ((places & 0xFFFF) + Size > bytes || (places >> 16) + Size > bytes) elements = -1 << 20;
    }
  }
  REQUIRE(elements * each == plan.elements);
  for (unsigned tile = 0; tile < plan.tiles; ++tile) {
    int from = 0;
    int to = 0;
    weft::on_cuda::detail::find_tile(plan, tile, from, to);
    for (const auto& thread : threads) {
      weft::on_cuda::detail::read_tile<Size>(thread, plan.pairs, source.data() + from,
                                             reinterpret_cast<char*>(shared.data()));
    }
    for (const auto& thread : threads) {
      weft::on_cuda::detail::write_tile<Size>(thread, plan.pairs, target.data() + to,
                                              reinterpret_cast<char*>(shared.data()));
    }
  }
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (int d = rank; d-- > 0;) {
      offset += rest % whole.size[d] * across.stride[d];
      rest /= whole.size[d];
    }
    const auto at = static_cast<std::size_t>(i);
    wrong += target[at] != source[static_cast<std::size_t>(offset)] ? 1 : 0;
  }
  REQUIRE(wrong == 0);
  return true;
}

template <int Size>
void check_tiles(unsigned seed) {
  std::mt19937 random(seed);
  std::set<int> ranks;
  int done = 0;
  int paired = 0;
  for (int round = 0; round < 150; ++round) {
    const auto rank = static_cast<std::size_t>(2 + random() % 5);
    std::vector<int> sizes(rank);
    std::vector<int> order(rank);
    std::int64_t count = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      order[d] = static_cast<int>(d);
      sizes[d] = 2 + static_cast<int>(random() % (round % 3 == 0 ? 80 : 17));
      while (count * sizes[d] > 30'000) sizes[d] = (sizes[d] + 1) / 2;
      count *= sizes[d];
    }
    std::shuffle(order.begin(), order.end(), random);
    CAPTURE(round);
    done += copies_by_tiles<Size>(sizes, order, round % 4 == 3 ? 5 : 0, ranks, paired) ? 1 : 0;
  }
  CHECK(done > 40);
  CHECK(ranks.size() > 2);
  CHECK((paired > 10) == (Size == 2));
}

}  // namespace

TEST_CASE("tiles of any axes hold all elements") {
  check_tiles<1>(1);
  check_tiles<2>(2);
  check_tiles<4>(3);
  check_tiles<8>(4);
}

TEST_CASE_TEMPLATE("tiles of several short axes [gpu] [sanitize]", T, std::int8_t, weft::half,
                   float, double) {
  agree(numbers<T>({301, 3, 4, 14, 4, 14}), {0, 2, 4, 3, 5, 1});
  agree(numbers<T>({7, 3, 5, 9, 11, 13}), {5, 3, 1, 0, 2, 4});
  agree(numbers<T>({1000, 1001, 3}), {1, 0, 2});
  agree(numbers<T>({31, 5, 997, 3}), {2, 0, 3, 1});
  agree(numbers<T>({1801, 1001, 3}), {1, 0, 2});  // several tiles a block
  const auto x = numbers<T>({60, 61, 7, 9});
  const auto order = Shape{1, 3, 0, 2};
  const auto part = x.narrow(3, 1, 7).permute(order).contiguous();
  const auto found = x.to(Cuda{}).narrow(3, 1, 7).permute(order).contiguous();
  CHECK(all(found.to(weft::Cpu{}) == part).item());
}

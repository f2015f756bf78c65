#include "weft/cuda/primitive/launch.hpp"

#include <weft/cuda/primitive/grid.hpp>
#include <weft/cuda/primitive/plan_grid.hpp>

#include "test.hpp"

namespace {
__global__ void divide(weft::cuda::FastDivmod by, const unsigned* n, unsigned* out, int count) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < static_cast<unsigned>(count)) out[i] = by.divide(n[i]);
}
}  // namespace

TEST_CASE("FastDivmod divides every number below 2^31 [gpu]") {
  std::vector<std::uint32_t> numbers;
  for (unsigned n : {0u, 1u, 2u, 3u, 6u, 7u, 8u, 100u, 4095u, 4096u, 65535u, 1u << 20,
                     (1u << 30) - 1, 1u << 30, 0x7fffffffu}) {
    for (unsigned d : {0u, 1u}) numbers.push_back(n + d > 0x7fffffffu ? n : n + d);
  }
  const auto n = weft::tensor(numbers).to(weft::Cuda{});
  const int count = static_cast<int>(n.size());
  for (unsigned d :
       {1u, 2u, 3u, 5u, 7u, 10u, 64u, 641u, 4096u, 65537u, (1u << 30) + 1, 0x7fffffffu}) {
    auto out = weft::empty<std::uint32_t>({count}, weft::Cuda{});
    divide<<<1, 256>>>(weft::cuda::FastDivmod(d), n.data(), out.data(), count);
    const auto found = out.to_vector();
    for (int i = 0; i < count; ++i)
      CHECK(found[static_cast<std::size_t>(i)] == numbers[static_cast<std::size_t>(i)] / d);
  }
}

TEST_CASE("FastDivmod divides on the host too") {
  int wrong = 0;
  for (unsigned d = 1; d < 3000; d += d < 300 ? 1 : 37) {
    const weft::cuda::FastDivmod by(d);
    for (unsigned q = 0; q < 0x7FFFFFFFU / d - 1; q += 1 + q / 3) {
      for (const unsigned r : {0U, d / 2, d - 1}) wrong += by.divide(q * d + r) != q ? 1 : 0;
    }
    wrong += by.divide(0x7FFFFFFFU) != 0x7FFFFFFFU / d ? 1 : 0;
  }
  CHECK(wrong == 0);
}

TEST_CASE("pieces cover all elements once, and fit in 32 bits") {
  using namespace weft::detail;
  Loops loops;
  loops.rank = 2;
  loops.size[0] = 3;
  loops.size[1] = (weft::int64_t{1} << 31) + 17;
  Operand operand;
  operand.itemsize = 1;
  operand.stride[0] = loops.size[1];
  operand.stride[1] = 1;
  weft::int64_t covered = 0;
  weft::cuda::detail::in_pieces(loops, &operand, 1, [&](const Loops& piece) {
    CHECK(weft::cuda::detail::fits(piece, &operand, 1));
    covered += piece.count();
  });
  CHECK(covered == loops.count());
  CHECK(operand.data == nullptr);
}

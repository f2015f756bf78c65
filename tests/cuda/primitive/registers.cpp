// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/primitive/registers.hpp"

#include "test.hpp"

namespace {
using Program = weft::Apply<weft::op::mul, weft::Arg<1, float>, weft::Arg<2, float>>;

/// x * y[0] for the lanes first to last - 1.
__global__ void scale_part(const float* x, const float* y, float* out, int first, int last) {
  weft::cuda::Registers<weft::detail::TypeList<float, float>, 4> registers;
  char* const data[] = {nullptr, reinterpret_cast<char*>(const_cast<float*>(x)),
                        reinterpret_cast<char*>(const_cast<float*>(y))};
  const int offset[] = {0, 0, 0};
  const int stride[] = {0, 1, 0};
  registers.load(data, offset, stride, first, last);
  char* const target[] = {reinterpret_cast<char*>(out)};
  const int dense[] = {1};
  weft::cuda::store_all(weft::cuda::compute<float, 4>(registers, Program{}, first, last), target,
                        offset, dense, first, last);
}
}  // namespace

TEST_CASE("registers hold a vector of each operand, from which a program is computed [gpu]") {
  const auto x = weft::arange<float>(1, 5, 1, weft::Cuda{});
  const auto y = weft::full({1}, 3.0F, weft::Cuda{});
  for (int first = 0; first < 4; ++first) {
    for (int last = first; last <= 4; ++last) {
      auto out = weft::zeros({4}, weft::Cuda{});
      scale_part<<<1, 1>>>(x.data(), y.data(), out.data(), first, last);
      const auto found = out.to_vector();
      for (int j = 0; j < 4; ++j) {
        const float expected = j >= first && j < last ? 3.0F * static_cast<float>(1 + j) : 0.0F;
        CHECK(found[static_cast<std::size_t>(j)] == expected);
      }
    }
  }
}

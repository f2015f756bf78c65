#include "weft/cuda/primitive/vector.hpp"

#include "test.hpp"

using weft::detail::TypeList;

static_assert(weft::cuda::lanes_of<float>(TypeList<float, float>{}) == 4);
static_assert(weft::cuda::lanes_of<weft::half>(TypeList<weft::half>{}) == 8);
static_assert(weft::cuda::lanes_of<bool>(TypeList<float, std::int8_t>{}) == 8);
static_assert(weft::cuda::lanes_of<weft::half>(TypeList<float>{}) == 8);
static_assert(weft::cuda::lanes_of<weft::half>(TypeList<double>{}) == 4);
static_assert(weft::cuda::lanes_of<double>(TypeList<double>{}) == 2);
static_assert(weft::cuda::lanes_of_widest<bool>(TypeList<float, std::int8_t>{}) == 4);
static_assert(weft::cuda::lanes_of<std::int8_t>(TypeList<>{}) == 16);
static_assert(weft::cuda::lanes_of<weft::complex<double>>(TypeList<>{}) == 1);
static_assert(weft::cuda::lanes_of<float>(TypeList<weft::IndexOperand>{}) == 4);
static_assert(alignof(weft::cuda::Vector<float, 4>) == 16);

namespace {
__global__ void copy_part(const float* in, float* out, int stride, int first, int last) {
  weft::cuda::Vector<float, 4> v;
  weft::cuda::load(v, reinterpret_cast<const char*>(in), 0, stride, first, last);
  weft::cuda::store(v, reinterpret_cast<char*>(out), 0, 1, first, last);
}
}  // namespace

TEST_CASE("a vector loads and stores the lanes asked for and no others [gpu] [sanitize]") {
  const auto in = weft::arange<float>(1, 40, 1, weft::Cuda{});
  for (int stride : {0, 1, 3}) {
    for (int first = 0; first < 4; ++first) {
      for (int last = first; last <= 4; ++last) {
        auto out = weft::zeros({4}, weft::Cuda{});
        copy_part<<<1, 1>>>(in.data(), out.data(), stride, first, last);
        const auto found = out.to_vector();
        for (int j = 0; j < 4; ++j) {
          CHECK(found[static_cast<std::size_t>(j)] ==
                (j >= first && j < last ? static_cast<float>(1 + j * stride) : 0.f));
        }
      }
    }
  }
}

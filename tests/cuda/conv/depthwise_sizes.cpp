// SPDX-License-Identifier: Apache-2.0
#include <weft/cuda/conv/depthwise_sizes.hpp>

#include "test.hpp"

using weft::conv::Problem;
namespace on_cuda = weft::on_cuda;

namespace {
struct Sizes {
  int channels;
  int in[2];
  int out[2];
  int padding[2];
  int stride[2];
  int dilation[2];
  bool flipped;
};
}  // namespace

TEST_CASE("depthwise sizes forward, and back from results to images") {
  Problem p;
  p.channels = p.filters = p.groups = 7;
  const auto set = [](std::int64_t* x, std::int64_t y_axis, std::int64_t x_axis) {
    x[1] = y_axis;
    x[2] = x_axis;
  };
  set(p.kernel, 3, 3);
  set(p.in, 20, 31);
  set(p.stride, 1, 2);
  set(p.padding, 1, 2);
  set(p.dilation, 2, 1);
  set(p.out, 18, 17);  // (20 + 2 - 4 - 1) + 1, (31 + 4 - 2 - 1) / 2 + 1
  CHECK(on_cuda::is_square_depthwise(p));
  CHECK_FALSE(on_cuda::is_unit(p));
  const auto there = on_cuda::depthwise_sizes<Sizes>(p, false);
  const auto back = on_cuda::depthwise_sizes<Sizes>(p, true);
  CHECK(there.channels == 7);
  CHECK_FALSE(there.flipped);
  CHECK(back.flipped);
  for (int i = 0; i < 2; ++i) {
    CHECK(there.in[i] == p.in[i + 1]);
    CHECK(there.out[i] == p.out[i + 1]);
    CHECK(there.stride[i] == p.stride[i + 1]);
    CHECK(there.padding[i] == p.padding[i + 1]);
    CHECK(back.in[i] == p.out[i + 1]);
    CHECK(back.out[i] == p.in[i + 1]);
    CHECK(back.stride[i] == 1);
    CHECK(back.dilation[i] == p.dilation[i + 1]);
  }
  CHECK(back.padding[0] == 3);  // of i = r + 2 k - 1 is r = i - 3 + 2 (2 - k)
  CHECK(back.padding[1] == 0);
}

TEST_CASE("which problems the depthwise kernels of images take") {
  Problem p;
  p.channels = p.filters = p.groups = 4;
  p.kernel[1] = p.kernel[2] = 5;
  CHECK(on_cuda::is_square_depthwise(p));
  CHECK(on_cuda::is_unit(p));
  const auto refused = [&](auto change) {
    Problem other = p;
    change(other);
    return !on_cuda::is_square_depthwise(other);
  };
  CHECK(refused([](Problem& x) { x.kernel[2] = 3; }));
  CHECK(refused([](Problem& x) { x.kernel[1] = x.kernel[2] = 7; }));
  CHECK(refused([](Problem& x) { x.filters = 8; }));
  CHECK(refused([](Problem& x) { x.in[0] = 2; }));
  CHECK(refused([](Problem& x) { x.padding[0] = 1; }));
  CHECK(refused([](Problem& x) { x.kernel[0] = 3; }));
}

#include "weft/cuda/conv/visit.hpp"

#include "cuda/graph_nodes.hpp"
#include "images.hpp"
#include "weft/random.hpp"

using namespace weft;

TEST_CASE("[gpu] a pooling is one kernel") {
  const auto x = test::image<float, Cuda>({2, 4, 9, 8});
  max_pool2d(x, 3);
  CHECK(captured([&] { max_pool2d(x, 3); }).kernels == 1);
}

TEST_CASE("[gpu] a thread takes several places along a row, but one of channels-last images") {
  manual_seed(5);
  const auto x = randn({2, 3, 301, 203});
  for (const bool last : {false, true}) {
    CAPTURE(last);
    const auto on_gpu = last ? channels_last(x.to(Cuda{})) : x.to(Cuda{});
    const auto same = [](const auto& found, const auto& expected) {
      return allclose(found.to(Cpu{}), expected, {.atol = 1e-5});
    };
    for (const auto mode : {Interpolation::nearest, Interpolation::linear, Interpolation::cubic}) {
      const InterpolateOptions o{.size = {510, 411}, .mode = mode};
      CHECK(same(interpolate(on_gpu, o), interpolate(x, o)));
    }
    for (const AvgPoolOptions& o : {AvgPoolOptions{.stride = 1, .padding = 1}, {.stride = 1}}) {
      const auto wide = interpolate(x, {.size = {510, 411}});
      const auto wide_on_gpu = interpolate(on_gpu, {.size = {510, 411}});
      CHECK(same(avg_pool2d(wide_on_gpu, 3, o), avg_pool2d(wide, 3, o)));
    }
    CHECK(same(unfold(on_gpu, {3, 2}, {.padding = 1}), unfold(x, {3, 2}, {.padding = 1})));
  }
}

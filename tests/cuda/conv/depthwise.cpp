#include "weft/cuda/conv/depthwise.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("[gpu] the weight's gradient of half types is summed in float") {
  const conv::Problem p =
      conv::plan("f", {8, 40, 16, 16}, {40, 1, 3, 3}, 2, {.padding = 1, .groups = 40});
  const auto x = test::image<bfloat16, Cuda>(p.image_shape());
  const auto g = test::image<bfloat16, Cuda>(p.result_shape(), 2);
  const Tensor<float, Cuda> wide_x = cast<float>(x);
  const Tensor<float, Cuda> wide_g = cast<float>(g);
  const Tensor<float, Cuda> dw = zeros(p.weight_shape(), Cuda{});
  const Tensor<bfloat16, Cuda> narrow = zeros<bfloat16>(p.weight_shape(), Cuda{});
  DepthwiseWeights<Cuda>::run("f", p, wide_x, wide_g, dw);
  DepthwiseWeights<Cuda>::run("f", p, x, g, narrow);
  CHECK(allclose(cast<float>(narrow), dw, {2e-2, 2e-1}));
  const Tensor<float, Cuda> again = zeros(p.weight_shape(), Cuda{});
  DepthwiseWeights<Cuda>::run("f", p, wide_x, wide_g, again);
  CHECK(equal(dw, again));
  DepthwiseWeights<Cuda>::run("f", p, channels_last(wide_x), channels_last(wide_g), again);
  CHECK(allclose(dw, again, {1e-3, 1e-3}));
}

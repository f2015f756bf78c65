#include "weft/cpu/conv/depthwise.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("the weight's gradient is that of the product") {
  const conv::Problem p =
      conv::plan("f", {3, 4, 7, 9}, {8, 1, 3, 5}, 2, {.stride = 2, .padding = 1, .groups = 4});
  const auto x = test::image<double, Cpu>(p.image_shape());
  const auto w = test::image<double, Cpu>(p.weight_shape(), 1);
  const auto g = test::image<double, Cpu>(p.result_shape(), 2);
  const Tensor<double> dw = zeros<double>(p.weight_shape());
  DepthwiseWeights<Cpu>::run("f", p, x, g, dw);
  CHECK(allclose(dw, conv::ByMatmul<double, Cpu>("f", p).weights(x, g), {1e-12, 1e-12}));
  const Tensor<double>* const none = nullptr;
  CHECK(sum(dw * w).item() == doctest::Approx(sum(conv::results("f", p, x, w, none) * g).item()));
}

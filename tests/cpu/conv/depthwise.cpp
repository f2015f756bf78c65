#include "weft/cpu/conv/depthwise.hpp"

#include "images.hpp"
#include "weft/conv.hpp"

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

namespace {
/// Channels last against sums place by place in the other format.
void check(const Shape& shape, const Shape& filters, const ConvOptions& options) {
  CAPTURE(shape);
  const auto x = test::image<double, Cpu>(shape);
  const auto w = test::image<double, Cpu>(filters, 1);
  const Tensor<double> bias =
      test::image<double, Cpu>({1, filters[0], 1, 1}, 3).reshape({filters[0]});
  const auto p = conv::plan("f", shape, filters, shape.rank() - 2, options);
  const auto g = test::image<double, Cpu>(p.result_shape(), 2);
  const Tensor last = channels_last(x);
  const Tensor upstream = channels_last(g);
  const double near = 1e-12;
  const auto y = conv::results("f", p, last, w, &bias);
  CHECK(is_channels_last(y));
  CHECK(allclose(y, conv::results("f", p, x, w, &bias), {near, near}));
  CHECK(allclose(conv::images("f", p, upstream, w), conv::images("f", p, g, w), {near, near}));
  const auto dw = conv::weights("f", p, last, upstream);
  CHECK(allclose(dw, conv::weights("f", p, x, g), {near, near}));
}
}  // namespace

TEST_CASE("depthwise convolutions of channels-last images are those of contiguous ones") {
  check({3, 40, 13, 10}, {40, 1, 3, 3}, {.padding = 1, .groups = 40});
  check({20, 20, 9, 11}, {20, 1, 3, 5}, {.stride = 2, .padding = 1, .groups = 20});
  check({2, 20, 12, 11}, {20, 1, 5, 5}, {.padding = 3, .dilation = 2, .groups = 20});
  check({2, 4, 6, 6}, {8, 1, 3, 3}, {.padding = 1, .groups = 4});  // two filters a channel
  check({2, 6, 5, 7, 4}, {6, 1, 3, 2, 3}, {.padding = {1, 1, 0}, .groups = 6});
}

TEST_CASE("half types are summed in float") {
  const auto x = test::image<weft::half, Cpu>({2, 5, 6, 7});
  const auto w = test::image<weft::half, Cpu>({5, 1, 3, 3}, 1);
  const Tensor y = conv2d(channels_last(x), w, {.padding = 1, .groups = 5});
  const Tensor<float> wanted = conv2d(Tensor<float>(cast<float>(x)), Tensor<float>(cast<float>(w)),
                                      {.padding = 1, .groups = 5});
  CHECK(allclose(cast<float>(y), wanted, {1e-2, 1e-2}));
}

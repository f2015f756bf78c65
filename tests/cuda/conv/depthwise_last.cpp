#include "weft/cuda/conv/depthwise_last.hpp"

#include "images.hpp"
#include "weft/cuda/conv.hpp"

using namespace weft;

namespace {
/// Channels last against the other format in double.
template <class T>
void check(const Shape& shape, int64_t kernel, const ConvOptions& options, double tolerance) {
  CAPTURE(kernel);
  const auto x = test::image<T, Cuda>(shape);
  const auto w = test::image<T, Cuda>({shape[1], 1, kernel, kernel}, 1);
  const Tensor<T, Cuda> bias = test::image<T, Cuda>({1, shape[1], 1, 1}, 3).reshape({shape[1]});
  const auto p = conv::plan("f", shape, w.shape(), 2, options);
  const auto g = test::image<T, Cuda>(p.result_shape(), 2);
  const auto wide = [](const auto& t) { return Tensor<double, Cuda>(cast<double>(t)); };
  const auto near = [&](const auto& a, const auto& b) {
    return allclose(wide(a), b, {tolerance, tolerance});
  };
  const Tensor last = channels_last(x);
  const Tensor<double, Cuda> shift = wide(bias);
  const auto y = conv::results("f", p, last, w, &bias);
  CHECK(is_channels_last(y));
  CHECK(near(y, conv::results("f", p, wide(x), wide(w), &shift)));
  const Tensor upstream = channels_last(g);
  CHECK(near(conv::images("f", p, upstream, w), conv::images("f", p, wide(g), wide(w))));
  const auto dw = conv::weights("f", p, last, upstream);
  const auto wanted = conv::weights("f", p, wide(x), wide(g));
  const double largest = max(abs(wanted)).item();
  CHECK(near(wide(dw) / largest, wanted / largest));
  CHECK(equal(dw, conv::weights("f", p, last, upstream)));
}
}  // namespace

TEST_CASE("[gpu] depthwise convolutions of channels-last images and their gradients") {
  check<bfloat16>({3, 40, 13, 10}, 3, {.padding = 1, .groups = 40}, 2e-2);
  check<weft::half>({2, 272, 9, 7}, 5, {.padding = 2, .groups = 272}, 3e-3);
  check<float>({2, 20, 9, 11}, 3, {.stride = 2, .padding = 1, .groups = 20}, 1e-5);
  check<bfloat16>({2, 16, 14, 9}, 5, {.stride = 2, .padding = 2, .groups = 16}, 2e-2);
  check<float>({2, 20, 12, 11}, 5, {.padding = 3, .dilation = 2, .groups = 20}, 1e-5);
  check<weft::half>({2, 9, 6, 6}, 3, {.padding = 1, .groups = 9}, 3e-3);  // channels do not fit
}

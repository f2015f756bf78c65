#include "weft/cuda/conv/depthwise_planes.hpp"

#include "images.hpp"

using namespace weft;

namespace {
/// Against the CPU's loops in double; false where the kernels do not take the sizes.
template <class T>
bool check(const Shape& shape, int64_t kernel, const ConvOptions& options, double tolerance) {
  CAPTURE(shape);
  CAPTURE(kernel);
  using Planes = DepthwisePlanes<Cuda>;
  const auto wide = [](const Tensor<T>& t) { return Tensor<double>(cast<double>(t)); };
  const Tensor<T> x = test::image<T, Cpu>(shape);
  const Tensor<T> w = test::image<T, Cpu>({shape[1], 1, kernel, kernel}, 1);
  const Tensor<T> bias = test::image<T, Cpu>({1, shape[1], 1, 1}, 3).reshape({shape[1]});
  const Tensor<double> shift = wide(bias);
  const auto p = conv::plan("f", shape, w.shape(), 2, options);
  const Tensor<T> g = test::image<T, Cpu>(p.result_shape(), 2);
  const Tensor<T, Cuda> xs = x.to(Cuda{});
  const Tensor<T, Cuda> ws = w.to(Cuda{});
  const Tensor<T, Cuda> biases = bias.to(Cuda{});
  const Tensor<T, Cuda> gs = g.to(Cuda{});
  const Tensor<T, Cuda> y = empty<T>(p.result_shape(), Cuda{});
  if (!Planes::results("f", p, xs, ws, &biases, y)) return false;
  const Tensor<T, Cuda> dx = empty<T>(shape, Cuda{});
  CHECK(Planes::images("f", p, gs, ws, dx));
  const auto sums = Planes::weights("f", p, xs, gs);
  CHECK(equal(sums, Planes::weights("f", p, xs, gs)));

  const auto near = [&](const Tensor<double>& a, const Tensor<double>& b) {
    const double largest = max(abs(b)).item();
    CHECK(allclose(a / largest, b / largest, {tolerance, tolerance}));
  };
  near(wide(y.to(Cpu{})), conv::results("f", p, wide(x), wide(w), &shift));
  near(wide(dx.to(Cpu{})), conv::images("f", p, wide(g), wide(w)));
  const Tensor<double> dw = sum(cast<double>(sums.to(Cpu{})), axis(0));
  near(dw.reshape(w.shape()), conv::weights("f", p, wide(x), wide(g)));
  return true;
}
}  // namespace

TEST_CASE("[gpu] depthwise convolutions of contiguous images and their gradients") {
  CHECK(check<float>({3, 5, 13, 10}, 3, {.padding = 1, .groups = 5}, 1e-5));
  CHECK(check<float>({40, 3, 14, 14}, 5, {.padding = 2, .groups = 3}, 1e-5));
  CHECK(check<float>({2, 4, 9, 11}, 3, {.stride = 2, .padding = 1, .groups = 4}, 1e-5));
  CHECK(check<float>({2, 4, 12, 9}, 5, {.stride = {4, 2}, .padding = 2, .groups = 4}, 1e-5));
  CHECK(check<float>({2, 4, 12, 11}, 5, {.padding = 3, .dilation = 2, .groups = 4}, 1e-5));
  CHECK(check<float>({2, 700, 2, 1}, 3, {.padding = 1, .groups = 700}, 1e-5));
  CHECK(!check<float>({2, 3, 7, 7}, 3, {.stride = 3, .groups = 3}, 1e-5));
  CHECK(check<bfloat16>({3, 5, 13, 10}, 3, {.padding = 1, .groups = 5}, 1e-2));
}

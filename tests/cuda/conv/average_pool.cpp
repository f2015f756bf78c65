#include "weft/cuda/conv/average_pool.hpp"

#include "cuda/graph_nodes.hpp"
#include "images.hpp"
#include "weft/autograd/conv/pool.hpp"
#include "weft/cuda/conv.hpp"
#include "weft/cuda/gradient.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("[gpu] averages of whole images are the CPU's, in both formats", T, float,
                   double, weft::half, bfloat16) {
  manual_seed(1);
  const double off = is_half<T> ? 1e-2 : 1e-5;
  for (const Shape& shape : {Shape{2, 3, 7, 9}, Shape{3, 130, 5, 4}, Shape{2, 5, 1, 1},
                             Shape{1, 33, 40, 30}, Shape{70, 8, 3, 3}}) {
    for (const bool last : {false, true}) {
      CAPTURE(shape);
      CAPTURE(last);
      const Tensor<T> plain = cast<T>(randn(shape));
      const Tensor<T> images = last ? channels_last(plain) : plain;
      const auto x = parameter(images.to(Cuda{}));
      const auto y = adaptive_avg_pool2d(x, 1);
      const Tensor<double> wanted = mean(cast<double>(plain), axis(2, 3));
      CHECK(y.shape() == Shape{shape[0], shape[1], 1, 1});
      const Tensor<T> values = y.value().to(Cpu{});
      CHECK(allclose(cast<double>(values).reshape(wanted.shape()), wanted, {off, off}));
      const Tensor<T> g = cast<T>(randn(y.shape()));
      y.backward(g.to(Cuda{}));
      const Tensor<double> share = cast<double>(g) / static_cast<double>(shape[2] * shape[3]);
      const Tensor<T> found = x.grad().to(Cpu{});
      CHECK(allclose(cast<double>(found), share.expand(shape), {off, off}));
    }
  }
}

TEST_CASE("[gpu] one kernel, and images with gaps as well") {
  const auto x = test::image<float, Cuda>({2, 4, 9, 8});
  adaptive_avg_pool2d(x, 1);
  CHECK(captured([&] { adaptive_avg_pool2d(x, 1); }).kernels == 1);
  const auto inner = x(all, all, slice(1, 8), slice(2, 7));
  const Tensor<float> wanted = mean(inner.to(Cpu{}), axis(2, 3), keepdims);
  CHECK(allclose(adaptive_avg_pool2d(inner, 1).to(Cpu{}), wanted, {1e-5, 1e-5}));
}

#include <weft/cuda/fft.hpp>

#include "test.hpp"
#include "weft/fft.hpp"

using namespace weft;

TEST_CASE("[gpu] transforms on the GPU are those of the CPU") {
  Generator g(2);
  const Tensor x = randn<float>({6, 5, 48, 64}, Cpu{}, g);
  const auto on_gpu = x.to(Cuda{});
  const auto close = [](const auto& a, const auto& b) {
    return allclose(a.to(Cpu{}), b, {1e-4, 1e-4});
  };
  CHECK(close(rfft(on_gpu), rfft(x)));
  CHECK(close(rfft(on_gpu, {.n = 50, .axis = 1}), rfft(x, {.n = 50, .axis = 1})));
  CHECK(close(rfft(on_gpu, {.axis = 0}), rfft(x, {.axis = 0})));
  const FftnOptions three{.n = {4, 60, 48}, .axes = axis(1, 3, 2), .norm = FftNorm::ortho};
  CHECK(close(fftn(on_gpu, three), fftn(x, three)));
  CHECK(close(fftn(on_gpu), fftn(x)));  // four axes are two calls
  CHECK(close(irfftn(rfftn(on_gpu, three), three), irfftn(rfftn(x, three), three)));
  CHECK(close(rfft(on_gpu(all, all, all, slice(1, none))), rfft(x(all, all, all, slice(1, none)))));
}

TEST_CASE("[gpu] a transform is captured, and runs on the stream that is current") {
  Tensor<complex<float>, Cuda> z = ones<complex<float>>({8, 128}, Cuda{});
  const on_cuda::Stream stream(Cuda{0});
  Tensor<complex<float>, Cuda> y;
  const auto step = [&] { y = fft(z) * complex<float>(0.5F); };
  on_cuda::Graph graph = on_cuda::capture(step);
  z.fill(complex<float>(2));
  const Tensor<float, Cuda> other = ones({300}, Cuda{});
  for (int64_t n = 2; n < 290; ++n) CHECK(rfft(other, {.n = n}).size() == n / 2 + 1);
  graph.replay();  // plans that a graph uses stay, however many others there are
  CHECK(y(0, 0).item().re == 128);
  CHECK(abs(y(3, 5)).item() < 1e-3F);
  {
    const on_cuda::StreamGuard guard(stream);
    y = fft(z);
  }
  CHECK(y(0, 0).item().re == 256);
}

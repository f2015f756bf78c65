#include "weft/cuda/conv/cudnn.hpp"

#include "images.hpp"

#if defined(WEFT_CUDNN)
using namespace weft;

TEST_CASE("[gpu] cuDNN takes all element types, both formats, and captures") {
  const auto check = []<class T>(T, double tolerance) {
    const auto x = test::image<T, Cuda>({2, 16, 12, 12});
    const auto w = test::image<T, Cuda>({32, 16, 3, 3}, 1);
    const auto p = conv::plan("f", x.shape(), w.shape(), 2, {.padding = 1});
    for (const bool last : {false, true}) {
      const auto format = [&](const auto& t) { return weft::detail::in_format(t, last); };
      const Tensor y = format(zeros<T>(p.result_shape(), Cuda{}));
      CHECK(ConvLibrary<Cuda>::results("f", p, format(x), format(w), y));
      const Tensor wide_x = cast<double>(x).eval().to(Cpu{});
      const Tensor wide_w = cast<double>(w).eval().to(Cpu{});
      const Tensor wanted = conv2d(wide_x, wide_w, {.padding = 1});
      CHECK(allclose(cast<double>(y).eval().to(Cpu{}), wanted, {tolerance, tolerance}));
      // With a bias, in the same call where cuDNN's best algorithm has it.
      const auto b = test::image<T, Cuda>({1, 32, 1, 1}, 2).reshape({32});
      const auto biased = conv::results("f", p, format(x), format(w), &b);
      const Tensor wide_b = cast<double>(b).eval().to(Cpu{});
      const Tensor shifted = wanted + wide_b.reshape({32, 1, 1});
      CHECK(allclose(cast<double>(biased).eval().to(Cpu{}), shifted, {tolerance, tolerance}));
    }
  };
  check(float{}, 1e-4);
  check(double{}, 1e-10);
  check(weft::half{}, 1e-2);
  check(weft::bfloat16{}, 1e-1);
  const auto x = test::image<float, Cuda>({2, 16, 12, 12});
  const auto w = test::image<float, Cuda>({32, 16, 3, 3}, 1);
  Tensor<float, Cuda> y = conv2d(x, w);
  const Tensor<float, Cuda> wanted = y.clone();
  auto graph = weft::cuda::capture([&] { y = conv2d(x, w); });
  graph.replay();
  CHECK(equal(y, wanted));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif

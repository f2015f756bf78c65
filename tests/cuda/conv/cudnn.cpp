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

TEST_CASE("[gpu] relu is a part of cuDNN's call where it takes both") {
  const auto p = conv::plan("f", {2, 64, 12, 12}, {32, 64, 3, 3}, 2, {.padding = 1});
  const auto check = [&]<class T>(T, bool last, double tolerance, bool expected) {
    CAPTURE(last);
    const auto format = [&](const auto& t) { return weft::detail::in_format(t, last); };
    const Tensor x = format(test::image<T, Cuda>(p.image_shape()));
    const Tensor w = format(test::image<T, Cuda>(p.weight_shape(), 1));
    const Tensor b = test::image<T, Cuda>({32}, 2);
    const Tensor y = format(zeros<T>(p.result_shape(), Cuda{}));
    const bool done = ConvLibrary<Cuda>::results_with_bias("f", p, x, w, b, true, y);
    MESSAGE("relu in the call, " << sizeof(T) << " bytes, " << (last ? "NHWC" : "NCHW") << ": "
                                 << done);
    if (expected) CHECK(done);
    const Tensor wide_w = cast<double>(w).eval().to(Cpu{});
    const Tensor wide_b = cast<double>(b).eval().to(Cpu{});
    const Tensor wanted =
        relu(Tensor(conv2d(cast<double>(x).eval().to(Cpu{}), wide_w, wide_b, {.padding = 1})));
    const Tensor found = relu(conv2d(x, w, b, {.padding = 1}));
    CHECK(allclose(cast<double>(found).eval().to(Cpu{}), wanted, {tolerance, tolerance}));
    if (done) CHECK(allclose(cast<double>(y).eval().to(Cpu{}), wanted, {tolerance, tolerance}));
    // What is not a number stays so.
    x.fill(std::nanf(""));
    const Tensor nothing = cast<double>(relu(conv2d(x, w, b, {.padding = 1}))).eval().to(Cpu{});
    CHECK(nothing.at(0, 0, 5, 5) != nothing.at(0, 0, 5, 5));
  };
  for (const bool last : {false, true}) {
    check(weft::half{}, last, 1e-2, last);
    check(weft::bfloat16{}, last, 1e-1, last);
    check(float{}, last, 1e-4, false);
    const weft::cuda::Tf32Guard tf32;
    check(float{}, last, 2e-2, false);
  }
  const auto x = test::image<weft::bfloat16, Cuda>({2, 64, 12, 12});
  const auto w = test::image<weft::bfloat16, Cuda>({32, 64, 3, 3}, 1);
  const auto b = test::image<weft::bfloat16, Cuda>({32}, 2);
  const auto in = channels_last(x);
  Tensor<weft::bfloat16, Cuda> y = relu(conv2d(in, w, b));
  const Tensor<weft::bfloat16, Cuda> wanted = y.clone();
  auto graph = weft::cuda::capture([&] { y = relu(conv2d(in, w, b)); });
  graph.replay();
  CHECK(equal(y, wanted));
}
#else
TEST_CASE("this build is without cuDNN") {}
#endif

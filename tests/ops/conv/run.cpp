#include "weft/ops/conv/run.hpp"

#include <weft/ops/conv/pointwise.hpp>

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("results and gradients keep the format", D, TEST_DEVICES) {
  for (const int64_t groups : {1, 2, 4}) {
    const conv::Problem p =
        conv::plan("f", {3, 4, 6, 7}, {4, 4 / groups, 3, 3}, 2, {.padding = 1, .groups = groups});
    const auto x = test::image<float, D>(p.image_shape());
    const auto w = test::image<float, D>(p.weight_shape(), 1);
    const auto g = test::image<float, D>(p.result_shape(), 2);
    const Tensor<float, D>* const none = nullptr;
    const Tensor y = conv::results("f", p, channels_last(x), w, none);
    CHECK(is_channels_last(y));
    CHECK(allclose(y, conv::results("f", p, x, w, none), {1e-4, 1e-4}));
    const Tensor dx = conv::images("f", p, channels_last(g), w);
    CHECK(is_channels_last(dx));
    CHECK(allclose(dx, conv::images("f", p, g, w), {1e-4, 1e-4}));
    CHECK(allclose(conv::weights("f", p, channels_last(x), g), conv::weights("f", p, x, g),
                   {1e-4, 1e-4}));
  }
}

TEST_CASE_TEMPLATE("the gradient of a 1 x 1 weight in parts of the places", D, TEST_DEVICES) {
  const auto check = [&]<class T>(T, double tolerance) {
    const conv::Problem p = conv::plan("f", {3, 8, 4, 5}, {6, 8, 1, 1}, 2, ConvOptions{});
    const auto x = channels_last(test::image<T, D>(p.image_shape()));
    const auto g = channels_last(test::image<T, D>(p.result_shape(), 2));
    using Product = conv::PointwiseProduct<T, D>;
    const Tensor whole = empty<T>(p.weight_shape(), D{});
    Product::weights("f", p, x, g, whole);
    for (const int64_t count : {1, 2, 5, 12, 60}) {
      CAPTURE(count);
      const Tensor dw = empty<T>(p.weight_shape(), D{});
      Product::weights_in_parts("f", p, x, g, dw, count);
      CHECK(allclose(cast<double>(dw).eval(), cast<double>(whole).eval(), {tolerance, tolerance}));
    }
  };
  check(float{}, 1e-5);
  check(bfloat16{}, 2e-2);
  check(weft::half{}, 2e-3);
}

TEST_CASE("parts of the places are a divisor of them, and only for few results") {
  const auto parts = [](int64_t images, int64_t channels, int64_t filters, int64_t size) {
    const conv::Problem p = conv::plan("f", {images, channels, size, size},
                                       {filters, channels, 1, 1}, 2, ConvOptions{});
    return conv::PointwiseProduct<bfloat16, Cpu>::parts(p);
  };
  CHECK(parts(128, 256, 64, 56) == 128);
  CHECK(parts(128, 512, 256, 28) == 32);
  CHECK(parts(128, 512, 512, 28) == 1);
  CHECK(parts(32, 64, 64, 16) == 1);
  CHECK(parts(37, 64, 64, 31) == 37);
  CHECK(parts(1, 16, 16, 191) == 1);
}

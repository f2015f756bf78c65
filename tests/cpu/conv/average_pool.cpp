#include "weft/cpu/conv/average_pool.hpp"

#include "gradients.hpp"
#include "images.hpp"
#include "weft/conv.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("averages of whole images are means", T, float, double, bfloat16) {
  manual_seed(1);
  const double off = is_half<T> ? 1e-2 : 1e-5;
  for (const Shape& shape :
       {Shape{2, 3, 7, 9}, Shape{3, 130, 5, 4}, Shape{2, 5, 1, 1}, Shape{1, 1, 6, 6}}) {
    for (const bool last : {false, true}) {
      CAPTURE(shape);
      CAPTURE(last);
      const Tensor<T> plain = cast<T>(randn(shape));
      const Tensor<T> images = last ? channels_last(plain) : plain;
      const auto x = parameter(images);
      const auto y = adaptive_avg_pool2d(x, 1);
      const Tensor<double> wanted = mean(cast<double>(plain), axis(2, 3));
      CHECK(y.shape() == Shape{shape[0], shape[1], 1, 1});
      CHECK(allclose(cast<double>(y.value()).reshape(wanted.shape()), wanted, {off, off}));
      const Tensor<T> g = cast<T>(randn(y.shape()));
      y.backward(g);
      const Tensor<double> share = cast<double>(g) / static_cast<double>(shape[2] * shape[3]);
      CHECK(allclose(cast<double>(x.grad()), share.expand(shape), {off, off}));
    }
  }
}

TEST_CASE("of signals and volumes too") {
  const Tensor x = arange<float>(24).reshape({2, 3, 4});
  CHECK(adaptive_avg_pool1d(x, 1).to_vector() ==
        std::vector<float>{1.5, 5.5, 9.5, 13.5, 17.5, 21.5});
  const Tensor volume = arange<float>(48).reshape({1, 2, 2, 3, 4});
  CHECK(adaptive_avg_pool3d(volume, 1).to_vector() == std::vector<float>{11.5, 35.5});
}

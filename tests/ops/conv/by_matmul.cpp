#include "weft/ops/conv/by_matmul.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("the gradients are those of the product", D, TEST_DEVICES) {
  const conv::Problem p =
      conv::plan("f", {5, 4, 6, 7}, {6, 2, 3, 2}, 2, {.stride = {2, 1}, .padding = 1, .groups = 2});
  const conv::ByMatmul<double, D> by("f", p);
  const auto x = test::image<double, D>(p.image_shape());
  const auto w = test::image<double, D>(p.weight_shape(), 1);
  const auto g = test::image<double, D>(p.result_shape(), 2);
  const Tensor y = zeros<double>(p.result_shape(), D{});
  by.results(x, w, y);
  // <g, conv(x, w)> is linear in x and in w.
  const double value = sum(g * y).item();
  const Tensor dx = zeros<double>(p.image_shape(), D{});
  by.images(g, w, dx);
  CHECK(sum(dx * x).item() == doctest::Approx(value));
  CHECK(sum(by.weights(x, g) * w).item() == doctest::Approx(value));
}

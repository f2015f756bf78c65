#include "weft/ops/conv/resample.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("interpolation between two elements", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{0, 4}, {1, 1, 2}).to(D{});
  const auto to = [&](InterpolateOptions o) { return interpolate(x, o).to_vector(); };
  CHECK(to({.size = 4}) == std::vector<float>{0, 0, 4, 4});
  CHECK(to({.size = 5, .mode = Interpolation::linear, .align_corners = true}) ==
        std::vector<float>{0, 1, 2, 3, 4});
  CHECK(to({.scale = 2, .mode = Interpolation::linear}) == std::vector<float>{0, 1, 3, 4});
  CHECK_SAYS("size 2 and scale 2", interpolate(x, {.size = 2, .scale = 2}));
  CHECK_SAYS("align_corners with nearest interpolation",
             interpolate(x, {.size = 2, .align_corners = true}));
  CHECK_SAYS("[pixel_shuffle]", pixel_shuffle(ones({1, 3, 2, 2}, D{}), 2));
}

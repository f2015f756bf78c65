#include "weft/ops/conv/grid_sample.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("grid_sample reads where the grid points", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{1, 2, 3, 4}, {1, 1, 2, 2}).to(D{});
  const auto at = [&](std::vector<float> places, GridSampleOptions o) {
    const auto count = static_cast<int64_t>(places.size()) / 2;
    return grid_sample(x, tensor(places, {1, 1, count, 2}).to(D{}), o).to_vector();
  };
  const std::vector<float> corners{-1, -1, 1, -1, -1, 1, 0, 0};
  CHECK(at(corners, {.align_corners = true}) == std::vector<float>{1, 2, 3, 2.5});
  CHECK(at(corners, {}) == std::vector<float>{0.25, 0.5, 0.75, 2.5});
  CHECK(at(corners, {.padding = GridPadding::border}) == std::vector<float>{1, 2, 3, 2.5});
  CHECK(at({5, 5, -0.4F, 0.6F}, {.mode = Interpolation::nearest}) == std::vector<float>{0, 3});
  CHECK(at({5, 5}, {.mode = Interpolation::nearest, .padding = GridPadding::border}) ==
        std::vector<float>{4});

  // Channels by eights, in both formats, and 16 bits.
  const auto images = test::image<float, D>({2, 19, 5, 6});
  const auto grid = test::image<float, D>({2, 3, 4, 2}, 0.5);
  const auto y = grid_sample(images, grid);
  CHECK(y.shape() == Shape{2, 19, 3, 4});
  const auto last = grid_sample(channels_last(images), grid);
  CHECK(is_channels_last(last));
  CHECK(allclose(last, y, {1e-5, 1e-6}));
  CHECK(allclose(y.narrow(1, 11, 1), grid_sample(images.narrow(1, 11, 1), grid), {1e-5, 1e-6}));
  const auto h = grid_sample(cast<weft::half>(images).eval(), cast<weft::half>(grid).eval());
  CHECK(allclose(cast<float>(h).eval(), y, {2e-2, 2e-2}));

  CHECK(grid_sample(images, zeros<float>({2, 0, 4, 2}, D{})).shape() == Shape{2, 19, 0, 4});
  CHECK_SAYS(
      "[grid_sample] an input of shape (2, 19, 5, 6) and a grid of shape (1, 3, 4, 2), "
      "expected (batch, channel, row, column) and (batch, row, column, 2)",
      grid_sample(images, grid.narrow(0, 0, 1)));
  CHECK_SAYS("a grid of shape (2, 3, 4, 3)", grid_sample(images, zeros<float>({2, 3, 4, 3}, D{})));
  CHECK_SAYS("expected elements to read", grid_sample(zeros<float>({2, 1, 0, 4}, D{}), grid));
  CHECK_SAYS("expected two spatial axes",
             grid_sample(zeros<float>({1, 1, 2, 2, 2}, D{}), zeros<float>({1, 1, 1, 1, 3}, D{}),
                         {.mode = Interpolation::cubic}));
}

TEST_CASE_TEMPLATE("affine_grid of no change reads the image again", D, TEST_DEVICES) {
  const Tensor same = tensor(std::vector<float>{1, 0, 0, 0, 1, 0}, {1, 2, 3}).to(D{});
  const auto x = test::image<float, D>({1, 2, 3, 5});
  for (const bool corners : {false, true}) {
    const auto grid = affine_grid(same, x.shape(), corners);
    CHECK(allclose(grid_sample(x, grid, {.align_corners = corners}), x, {1e-5, 1e-5}));
  }
  CHECK_SAYS("[affine_grid] matrices of shape (1, 2, 3) for a result of shape (2, 2, 3, 5)",
             affine_grid(same, {2, 2, 3, 5}));
}

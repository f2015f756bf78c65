#include "weft/autograd/conv/resample.hpp"

#include "image_vectors.hpp"

using namespace weft;
using test::compare_images;

TEST_CASE_TEMPLATE("interpolate is PyTorch's, and its gradient", D, TEST_DEVICES) {
  const auto to = [](InterpolateOptions o) {
    return [o](const auto& x) { return interpolate(x, o); };
  };
  using I = Interpolation;
  compare_images<D>("nearest", to({.size = {9, 5}}));
  compare_images<D>("nearest_scale", to({.scale = 2.5}));
  compare_images<D>("linear", to({.size = 11, .mode = I::linear}));
  compare_images<D>("bilinear", to({.size = {7, 3}, .mode = I::linear}));
  compare_images<D>("bilinear_corners",
                    to({.size = {7, 3}, .mode = I::linear, .align_corners = true}));
  compare_images<D>("trilinear", to({.scale = 2, .mode = I::linear}));
  compare_images<D>("bicubic", to({.size = {9, 3}, .mode = I::cubic}));
  compare_images<D>("bicubic_corners",
                    to({.size = {9, 3}, .mode = I::cubic, .align_corners = true}));
}

TEST_CASE_TEMPLATE("padding and pixel shuffling are PyTorch's", D, TEST_DEVICES) {
  const auto with = [](Shape around, PadMode mode, double value = 0) {
    return [=](const auto& x) { return pad(x, around, mode, value); };
  };
  compare_images<D>("pad", with({1, 2, 0, 3}, PadMode::constant, 1.5));
  compare_images<D>("pad_reflect", with({1, 2, 3, 0}, PadMode::reflect));
  compare_images<D>("pad_replicate", with({1, 2, 3, 0}, PadMode::replicate));
  compare_images<D>("pad_circular", with({1, 2, 3, 0}, PadMode::circular));
  compare_images<D>("pixel_shuffle", [](const auto& x) { return pixel_shuffle(x, 2); });
  compare_images<D>("pixel_unshuffle", [](const auto& x) { return pixel_unshuffle(x, 2); });
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/data/transforms.hpp>

#include <cmath>
#include <set>

#include "test.hpp"

using weft::Generator;
using weft::Shape;
using weft::Tensor;
using namespace weft::data;

TEST_CASE_TEMPLATE("bytes as floats, channels normalised", D, TEST_DEVICES) {
  const auto bytes = weft::tensor<std::uint8_t>({0, 51, 255}, D{});
  CHECK(Tensor<float, D>(to_float(bytes)).to_vector() == std::vector<float>{0, 0.2F, 1});

  const auto x = weft::arange<float>(24, D{}).reshape({2, 3, 4});
  const Normalize normalize({1, 2}, {2, 4}, D{});
  const std::vector<float> y = normalize(x).to_vector();
  for (int i = 0; i < 24; ++i) {
    const auto v = static_cast<float>(i);
    CHECK(y[static_cast<std::size_t>(i)] == (i < 12 ? (v - 1) / 2 : (v - 2) / 4));
  }
  CHECK(equal(normalize(x.unsqueeze(0).expand({5, 2, 3, 4}))(4), normalize(x)));
  CHECK_SAYS("[Normalize] images of shape (3, 4), expected (2, height, width)", normalize(x(0)));
  CHECK_SAYS("images of shape (1, 3, 4)", normalize(x(weft::slice(0, 1))));
  CHECK_SAYS("[Normalize] 1 means and 2 standard deviations", Normalize({1}, {1, 2}, D{}));
  CHECK_SAYS("a standard deviation of 0", Normalize({1}, {0}, D{}));
}

TEST_CASE("random crops") {
  const Tensor<float> x = weft::arange<float>(2 * 5 * 6).reshape({2, 5, 6}) + 1;
  Generator generator(1);
  std::set<float> corners;
  for (int i = 0; i < 300; ++i) {
    const Tensor<float> y = RandomCrop{3, 4}(x, generator);
    REQUIRE(y.shape() == Shape{2, 3, 4});
    const float corner = y.at(0, 0, 0);
    corners.insert(corner);
    const int place = static_cast<int>(corner) - 1;
    const int top = place / 6, left = place % 6;
    CHECK(equal(y, x(weft::all, weft::slice(top, top + 3), weft::slice(left, left + 4))));
  }
  CHECK(corners.size() == 9);
  CHECK(equal(RandomCrop{5, 6}(x, generator), x));
  CHECK(RandomCrop{2, 2}(x(0), generator).shape() == Shape{2, 2});
  CHECK_SAYS("[RandomCrop] a window of 6 x 6 with padding 0 in images of shape (2, 5, 6)",
             RandomCrop{6, 6}(x, generator));
  CHECK_SAYS("[RandomCrop] a window of 0 x 6", RandomCrop{0, 6}(x, generator));
  CHECK_SAYS("in images of shape (60,)", RandomCrop{1, 1}(x.flatten(), generator));
}

TEST_CASE("padding is zeros around the image") {
  const Tensor<float> x = weft::ones({1, 3, 3});
  Generator generator(2);
  std::set<float> sums;
  for (int i = 0; i < 300; ++i) {
    const Tensor<float> y = RandomCrop{3, 3, 2}(x, generator);
    REQUIRE(y.shape() == Shape{1, 3, 3});
    sums.insert(sum(y).item());
  }
  CHECK(sums == std::set<float>{1, 2, 3, 4, 6, 9});
  // Where the window is larger than the image the whole of it shows.
  CHECK(sum(RandomCrop{7, 7, 2}(x, generator)).item() == 9);
  CHECK(RandomCrop{7, 7, 2}(x, generator).at(0, 2, 2) == 1);
  // A window far outside shows nothing of it.
  std::set<float> far;
  for (int i = 0; i < 300; ++i) far.insert(sum(RandomCrop{1, 1, 3}(x, generator)).item());
  CHECK(far == std::set<float>{0, 1});
}

TEST_CASE("random flips") {
  const Tensor<float> x = weft::arange<float>(6).reshape({1, 2, 3});
  Generator generator(3);
  int flipped = 0;
  for (int i = 0; i < 1000; ++i) {
    const Tensor<float> y = RandomHorizontalFlip{0.25}(x, generator);
    const bool flip = y.at(0, 0, 0) == 2;
    CHECK(equal(y, flip ? x.flip(-1) : x));
    flipped += flip;
  }
  CHECK(std::abs(flipped - 250) < 60);
  CHECK(RandomHorizontalFlip{0}(x, generator).at(0, 0, 0) == 0);
  CHECK(RandomHorizontalFlip{1}(x, generator).at(0, 0, 0) == 2);
  CHECK_SAYS("[RandomHorizontalFlip] a probability of 1.5",
             RandomHorizontalFlip{1.5}(x, generator));
}

TEST_CASE_TEMPLATE("one hot", D, TEST_DEVICES) {
  const auto labels = weft::tensor<std::uint8_t>({2, 0, 1}, D{});
  const Tensor<float, D> y = one_hot(labels, 3);
  CHECK(y.shape() == Shape{3, 3});
  CHECK(y.to_vector() == std::vector<float>{0, 0, 1, 1, 0, 0, 0, 1, 0});
  CHECK(one_hot(weft::zeros<std::int64_t>({2, 2}, D{}), 4).shape() == Shape{2, 2, 4});
}

TEST_CASE("one hot of single labels, and labels that are none") {
  CHECK(one_hot(1, 3).to_vector() == std::vector<float>{0, 1, 0});
  CHECK_SAYS("[one_hot] label 3, expected 0 to 2", one_hot(3, 3));
  CHECK_SAYS("[one_hot] label -1, expected 0 to 2", one_hot(weft::tensor({0, -1}), 3));
  CHECK_SAYS("[one_hot] 0 classes, expected at least 1", one_hot(0, 0));
}

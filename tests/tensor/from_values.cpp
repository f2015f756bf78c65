// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/from_values.hpp>

#include <array>
#include <span>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;

TEST_CASE_TEMPLATE("one number", D, TEST_DEVICES) {
  const auto three = weft::tensor(3, D{});
  static_assert(std::is_same_v<decltype(three), const Tensor<int, D>>);
  CHECK(three.shape() == Shape{});
  CHECK(three.item() == 3);
  CHECK(weft::tensor<weft::half>(0.5, D{}).item() == 0.5F);
}

TEST_CASE_TEMPLATE("from braces", D, TEST_DEVICES) {
  const auto one = weft::tensor({1.5F, 2.5F}, D{});
  CHECK(one.shape() == Shape{2});
  CHECK(one.to_vector() == std::vector<float>{1.5F, 2.5F});
  const auto two = weft::tensor<weft::half>({{1, 2, 3}, {4, 5, 6}}, D{});
  CHECK(two.shape() == Shape{2, 3});
  CHECK(two(1, 0).item() == 4);
  const auto three = weft::tensor({{{1}, {2}}, {{3}, {4}}, {{5}, {6}}}, D{});
  CHECK(three.shape() == Shape{3, 2, 1});
  CHECK(three.to_vector() == std::vector<int>{1, 2, 3, 4, 5, 6});
  const auto four = weft::tensor({{{{true, false}}}}, D{});
  CHECK(four.shape() == Shape{1, 1, 1, 2});
  CHECK(four.to_vector() == std::vector<bool>{true, false});
  CHECK_THROWS_WITH_AS(weft::tensor({{1, 2}, {3}}, D{}),
                       "[tensor] braces of 1 and of 2 elements at the same depth, expected equal "
                       "sizes",
                       weft::ShapeError);
}

TEST_CASE_TEMPLATE("from containers, as a copy", D, TEST_DEVICES) {
  std::vector<double> values{1, 2, 3, 4, 5, 6};
  const auto x = weft::tensor(values, {3, -1}, D{});
  values[0] = 9;
  CHECK(x.shape() == Shape{3, 2});
  CHECK(x.to_vector() == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(weft::tensor(std::array<int, 2>{7, 8}, {-1}, D{}).to_vector() == std::vector<int>{7, 8});
  const std::span<const double> part(values.data() + 1, 2);
  CHECK(weft::tensor(part, {2}, D{}).to_vector() == std::vector<double>{2, 3});
  CHECK(weft::tensor(std::vector<float>{}, {-1}, D{}).shape() == Shape{0});
  static_assert(std::is_same_v<decltype(weft::tensor(std::vector<unsigned long long>{}, {-1}, D{})),
                               Tensor<std::uint64_t, D>>);
  CHECK_THROWS_WITH_AS(weft::tensor(values, {4, -1}, D{}),
                       "[tensor] shape (6,) of 6 elements cannot become (4, -1)", weft::ShapeError);
  CHECK(weft::tensor(part, D{}).to_vector() == std::vector<double>{2, 3});
}

TEST_CASE_TEMPLATE("from containers, with the type requested", D, TEST_DEVICES) {
  const auto x = weft::tensor<float>(std::vector{1, 2, 3, 4}, {2, -1}, D{});
  static_assert(std::is_same_v<decltype(x), const Tensor<float, D>>);
  CHECK(x.shape() == Shape{2, 2});
  CHECK(x.to_vector() == std::vector<float>{1, 2, 3, 4});
  CHECK(weft::tensor<double>(std::array{1.5F}, D{}).to_vector() == std::vector{1.5});
  CHECK(weft::tensor<int64_t>(std::vector<int64_t>{}).shape() == Shape{0});
  CHECK_THROWS_WITH_AS(weft::tensor<int8_t>(std::vector{1, 1000}),
                       "[tensor] the number 1000 does not fit in int8, expected -128 to 127",
                       weft::ValueError);
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/factory.hpp>

#include <array>
#include <cmath>
#include <span>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;

TEST_CASE_TEMPLATE("filled tensors", D, TEST_DEVICES) {
  CHECK(weft::zeros({2, 2}, D{}).to_vector() == std::vector<float>(4, 0));
  CHECK(weft::ones<weft::half>({3}, D{}).to_vector() == std::vector<weft::half>(3, weft::half(1)));
  CHECK(weft::ones<bool>({2}, D{}).to_vector() == std::vector<bool>{true, true});
  CHECK(weft::full({2}, 7LL, D{}).to_vector() == std::vector<std::int64_t>{7, 7});
  CHECK(weft::full<std::uint8_t>({1}, 255, D{}).item() == 255);
  CHECK(weft::full({}, 2.5, D{}).item() == 2.5);
  CHECK(weft::full<weft::complex<float>>({1}, 3, D{}).item() == weft::complex<float>(3, 0));
  CHECK(weft::empty<double>({4, 0}, D{}).shape() == Shape{4, 0});
  CHECK_THROWS_WITH_AS(weft::full<std::uint8_t>({1}, -1, D{}),
                       "[assign] the number -1 does not fit in uint8, expected 0 to 255",
                       weft::ValueError);
  CHECK_THROWS_WITH_AS(weft::full<weft::half>({1}, 1e6, D{}),
                       "[assign] the number 1000000 does not fit in float16", weft::ValueError);
}

TEST_CASE_TEMPLATE("the _like forms", D, TEST_DEVICES) {
  const auto x = weft::ones<std::int16_t>({2, 3}, D{}).t();
  CHECK(zeros_like(x).to_vector() == std::vector<std::int16_t>(6, 0));
  CHECK(ones_like(x).to_vector() == std::vector<std::int16_t>(6, 1));
  CHECK(full_like(x, 4).to_vector() == std::vector<std::int16_t>(6, 4));
  const auto y = empty_like(x);
  CHECK(y.shape() == Shape{3, 2});
  CHECK(y.is_contiguous());
  static_assert(std::is_same_v<decltype(y), const Tensor<std::int16_t, D>>);
}

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
                       "ones",
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
}

TEST_CASE_TEMPLATE("fill", D, TEST_DEVICES) {
  const auto x = weft::zeros({2, 3}, D{});
  x.fill(2);
  CHECK(x.to_vector() == std::vector<float>(6, 2));
  x.t()(1).fill(-1.5);
  CHECK(x.to_vector() == std::vector<float>{2, -1.5F, 2, 2, -1.5F, 2});
  const auto h = weft::zeros<weft::half>({2}, D{});
  h.fill(0.5F);
  CHECK(h(1).item() == 0.5F);
  weft::zeros({0}, D{}).fill(1);
  const auto bytes = weft::zeros<std::int8_t>({2}, D{});
  CHECK_THROWS_WITH_AS(bytes.fill(300),
                       "[assign] the number 300 does not fit in int8, expected -128 to 127",
                       weft::ValueError);
}

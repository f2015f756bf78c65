// SPDX-License-Identifier: Apache-2.0
#include <weft/tensor/factory.hpp>

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

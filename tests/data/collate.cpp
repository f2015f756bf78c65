// SPDX-License-Identifier: Apache-2.0
#include <weft/data/collate.hpp>

#include "test.hpp"

using weft::Shape;
using weft::Tensor;
using weft::data::collate;

TEST_CASE("tensors get a first axis, numbers become a vector") {
  const Tensor<float> x = weft::arange<float>(6).reshape({2, 3});
  const std::vector<std::tuple<Tensor<float>, int, bool>> samples{{x, 7, true}, {x + 10, 8, false}};
  const auto [image, label, flag] = collate(samples);
  CHECK(image.shape() == Shape{2, 2, 3});
  CHECK(image.to_vector() == std::vector<float>{0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  CHECK(label.to_vector() == std::vector<std::int32_t>{7, 8});
  CHECK(flag.to_vector() == std::vector<bool>{true, false});
}

TEST_CASE("views, scalars and samples without elements") {
  const Tensor<float> x = weft::arange<float>(6).reshape({2, 3});
  const std::vector<std::tuple<Tensor<float>, Tensor<float>, Tensor<float>>> samples{
      {x.t(), x(0, 1), weft::empty<float>({0, 4})},
      {x.flip(0).t(), x(1, 1), weft::empty<float>({0, 4})}};
  const auto [a, b, c] = collate(samples);
  CHECK(a.to_vector() == std::vector<float>{0, 3, 1, 4, 2, 5, 3, 0, 4, 1, 5, 2});
  CHECK(b.shape() == Shape{2});
  CHECK(b.to_vector() == std::vector<float>{1, 4});
  CHECK(c.shape() == Shape{2, 0, 4});
}

TEST_CASE("what does not fit together") {
  const std::vector<std::tuple<int, Tensor<float>>> samples{{0, weft::ones({2})},
                                                            {0, weft::ones({3})}};
  CHECK_SAYS("[collate] part 1 of the samples has shapes (2,) and (3,), expected the same",
             collate(samples));
  CHECK_SAYS("[collate] no samples", collate(std::vector<std::tuple<int>>{}));
}

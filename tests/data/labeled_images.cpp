// SPDX-License-Identifier: Apache-2.0
#include <weft/data/labeled_images.hpp>

#include "test.hpp"

TEST_CASE("labels are checked against the number of classes") {
  using weft::data::detail::check_labels;
  const weft::Tensor<std::int64_t> labels = weft::tensor<std::int64_t>({0, 9, 3});
  CHECK_NOTHROW(check_labels("load", "x", labels, 10));
  CHECK_SAYS("[load] x: label 9 of image 1, expected 0 to 8", check_labels("load", "x", labels, 9));
  CHECK_SAYS("label -1 of image 0",
             check_labels("load", "x", weft::tensor<std::int64_t>({-1}), 10));
  CHECK(weft::data::LabeledImages{}.images.size() == 0);
}

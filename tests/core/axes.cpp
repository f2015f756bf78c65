// SPDX-License-Identifier: Apache-2.0
#include <weft/core/axes.hpp>

#include "test.hpp"

using namespace weft;

TEST_CASE("axes become bits") {
  CHECK(detail::axes_mask("sum", axis(0, 2), 3) == 0b101U);
  CHECK(detail::axes_mask("sum", axis(-1), 8) == 0b10000000U);
  CHECK(detail::axes_mask("sum", axis(), 3) == 0U);
  CHECK_THROWS_WITH_AS(detail::axes_mask("sum", axis(0, -3), 3),
                       "[sum] axis -3 appears twice in (0, -3)", IndexError);
  CHECK_THROWS_WITH_AS(detail::axes_mask("sum", axis(2), 2),
                       "[sum] axis 2 of a tensor of rank 2, expected -2 to 1", IndexError);
}

TEST_CASE("the shape of a result") {
  const Shape shape{2, 3, 4};
  CHECK(detail::ReducedAxes{0b010, false}.result(shape) == Shape{2, 4});
  CHECK(detail::ReducedAxes{0b010, true}.result(shape) == Shape{2, 1, 4});
  CHECK(detail::ReducedAxes{0b111, false}.result(shape) == Shape{});
  CHECK(detail::ReducedAxes{0b111, true}.result(shape) == Shape{1, 1, 1});
  CHECK(detail::ReducedAxes{0, true}.result(shape) == shape);
  CHECK(detail::ReducedAxes{0b110, false}.reduces(2));
  CHECK_FALSE(detail::ReducedAxes{0b110, false}.reduces(0));
}

TEST_CASE("options") {
  CHECK(correction(0).value == 0);
  CHECK(Correction{}.value == 1);
}

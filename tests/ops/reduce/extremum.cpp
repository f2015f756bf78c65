#include "weft/ops/reduce/extremum.hpp"

#include <cmath>

#include "test.hpp"

using weft::reducer::beats;

TEST_CASE("a challenger beats the holder") {
  CHECK(beats<true>(2.f, 1, 1.f, 0));
  CHECK_FALSE(beats<true>(1.f, 1, 2.f, 0));
  CHECK(beats<false>(1.f, 1, 2.f, 0));
  CHECK_FALSE(beats<true>(1.f, 1, 1.f, 0));
  CHECK(beats<true>(1.f, 0, 1.f, 1));
  CHECK(beats<true>(NAN, 5, 9.f, 0));
  CHECK_FALSE(beats<true>(9.f, 5, NAN, 0));
  CHECK(beats<true>(NAN, 2, NAN, 3));
  CHECK(beats<true>(-9.f, 4, 0.f, -1));
  CHECK_FALSE(beats<true>(9.f, -1, 0.f, 4));
}

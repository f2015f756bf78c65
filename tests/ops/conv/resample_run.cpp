#include "weft/ops/conv/resample_run.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("sizes of interpolation") {
  const auto w = resampling::plan<float>({1, 2, 4, 5}, {.scale = 2.5});
  CHECK(w.out[1] == 10);
  CHECK(w.out[2] == 12);
  CHECK(w.scale[2] == doctest::Approx(0.4));
  CHECK(resampling::plan<float>({1, 2, 4}, {.size = 7}).scale[2] == doctest::Approx(4.0 / 7));
  CHECK_SAYS("[interpolate] an input of shape (1, 2)",
             resampling::plan<float>({1, 2}, {.size = 7}));
}

#include "weft/cpu/conv.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("results do not depend on the number of threads") {
  const auto x = test::image<float, Cpu>({8, 8, 20, 20});
  const auto w = test::image<float, Cpu>({16, 8, 3, 3}, 1);
  const Tensor<float> y = conv2d(x, w, {.padding = 1});
  set_num_threads(1);
  CHECK(allclose(y, conv2d(x, w, {.padding = 1}), {1e-6, 1e-6}));
  set_num_threads(0);
}

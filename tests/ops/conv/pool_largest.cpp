#include "weft/ops/conv/pool_largest.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("the gradient of the largest elements goes to where they were") {
  pool::Window w;
  w.in[2] = 5;
  w.out[2] = 3;
  w.kernel[2] = 3;
  w.stride[2] = 1;
  const auto x = tensor<float>({{{0, 3, 1, 4, 2}}});
  const Tensor<float> y = zeros<float>({1, 1, 3});
  const Tensor<int> index = zeros<int>({1, 1, 3});
  const pool::Largest<float, int> f{w, conv::Planes<const float>(x), conv::Planes<float>(y),
                                    conv::Planes<int>(index)};
  for (int i = 0; i < 3; ++i) f({.x = i});
  CHECK(equal(y, tensor<float>({{{3, 4, 4}}})));
  CHECK(equal(index, tensor<int>({{{1, 3, 3}}})));
  const auto g = tensor<float>({{{1, 10, 100}}});
  const Tensor<float> dx = zeros({1, 1, 5});
  const pool::LargestGradient<float, int> back{
      w, conv::Planes<const float>(g), conv::Planes<const int>(index), conv::Planes<float>(dx)};
  for (int i = 0; i < 5; ++i) back({.x = i});
  CHECK(equal(dx, tensor<float>({{{0, 1, 0, 110, 0}}})));
}

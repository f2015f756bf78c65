#include "weft/ops/conv/problem.hpp"

#include "test.hpp"

using namespace weft;

TEST_CASE("sizes of a convolution") {
  const conv::Problem p =
      conv::plan("f", {2, 4, 9, 7}, {6, 2, 3, 2}, 2, {.stride = {2, 1}, .padding = 1, .groups = 2});
  CHECK(p.result_shape() == Shape{2, 6, 5, 8});
  CHECK(p.image_shape() == Shape{2, 4, 9, 7});
  CHECK(p.weight_shape() == Shape{6, 2, 3, 2});
  CHECK(p.depth() == 12);
  CHECK(p.operations() == 2. * 2 * 6 * 40 * 12);
  CHECK(!p.is_pointwise());
  CHECK(conv::plan("f", {2, 4, 9}, {6, 4, 1}, 1, {}).is_pointwise());
  CHECK(conv::plan("f", {2, 4, 9}, {8, 1, 3}, 1, {.groups = 4}).is_depthwise());
}

TEST_CASE("sizes of a transposed convolution") {
  const conv::Problem p = conv::plan_transposed("f", {2, 4, 5}, {4, 3, 3}, 1,
                                                {.stride = 2, .padding = 1, .output_padding = 1});
  CHECK(p.image_shape() == Shape{2, 3, 10});
  CHECK(p.result_shape() == Shape{2, 4, 5});
  CHECK_SAYS("a result of size -1",
             conv::plan_transposed("f", {2, 4, 1}, {4, 3, 1}, 1, {.padding = 1}));
}

TEST_CASE("where the elements of images lie") {
  const Tensor<float> x = zeros({2, 3, 4, 5});
  const conv::Planes<float> at(x);
  CHECK(at.at(1, 2, 0, 3, 4) == x.data() + x.size() - 1);
  const conv::Volume v = conv::volume_of(channels_last(x));
  CHECK(v.last);
  CHECK(v.count() == x.size());
  CHECK(v.size[1] == 4);
}

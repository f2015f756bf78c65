#include "weft/ops/conv/memory_format.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE("strides of channels side by side") {
  CHECK(channels_last_strides({2, 3, 4, 5}) == Strides{60, 1, 15, 3});
  CHECK(channels_last_strides({2, 3, 7}) == Strides{21, 1, 3});
  CHECK(channels_last_strides({2, 3, 4, 5, 6}) == Strides{360, 1, 90, 18, 3});
  CHECK(is_channels_last(Shape{2, 3, 4, 5}, Strides{60, 1, 15, 3}));
  CHECK(!is_channels_last(Shape{2, 3, 4, 5}, Strides{60, 20, 5, 1}));
  CHECK(!is_channels_last(Shape{2, 1, 1, 1}, Strides{1, 1, 1, 1}));
}

TEST_CASE_TEMPLATE("channels_last moves elements, not indices", D, TEST_DEVICES) {
  const auto x = test::image<float, D>({2, 3, 4, 5});
  const Tensor y = channels_last(x);
  CHECK(is_channels_last(y));
  CHECK(y.shape() == x.shape());
  CHECK(equal(x, y));
  CHECK(channels_last(y).data() == y.data());
  // Where both formats lie alike nothing is copied.
  const auto column = test::image<float, D>({2, 3, 1, 1});
  CHECK(channels_last(column).data() == column.data());
  CHECK_SAYS("[channels_last] a tensor of shape (2, 3)", channels_last(ones({2, 3}, D{})));
}

#include "weft/ops/conv/run.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("results and gradients keep the format", D, TEST_DEVICES) {
  for (const int64_t groups : {1, 2, 4}) {
    const conv::Problem p =
        conv::plan("f", {3, 4, 6, 7}, {4, 4 / groups, 3, 3}, 2, {.padding = 1, .groups = groups});
    const auto x = test::image<float, D>(p.image_shape());
    const auto w = test::image<float, D>(p.weight_shape(), 1);
    const auto g = test::image<float, D>(p.result_shape(), 2);
    const Tensor<float, D>* const none = nullptr;
    const Tensor y = conv::results("f", p, channels_last(x), w, none);
    CHECK(is_channels_last(y));
    CHECK(allclose(y, conv::results("f", p, x, w, none), {1e-4, 1e-4}));
    const Tensor dx = conv::images("f", p, channels_last(g), w);
    CHECK(is_channels_last(dx));
    CHECK(allclose(dx, conv::images("f", p, g, w), {1e-4, 1e-4}));
    CHECK(allclose(conv::weights("f", p, channels_last(x), g), conv::weights("f", p, x, g),
                   {1e-4, 1e-4}));
  }
}

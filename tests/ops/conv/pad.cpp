#include "weft/ops/conv/pad.hpp"

#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("what stands in a border", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{1, 2, 3}, {1, 3}).to(D{});
  const auto row = [&](PadMode mode) { return pad(x, {2, 1}, mode, 7).to_vector(); };
  CHECK(row(PadMode::constant) == std::vector<float>{7, 7, 1, 2, 3, 7});
  CHECK(row(PadMode::reflect) == std::vector<float>{3, 2, 1, 2, 3, 2});
  CHECK(row(PadMode::replicate) == std::vector<float>{1, 1, 1, 2, 3, 3});
  CHECK(row(PadMode::circular) == std::vector<float>{2, 3, 1, 2, 3, 1});
  CHECK(pad(x, {0, 0, 1, 2}).shape() == Shape{4, 3});
  CHECK_SAYS("a border of 3 and 0 along axis 1 of shape (1, 3), expected 0 to 2",
             pad(x, {3, 0}, PadMode::reflect));
  CHECK_SAYS("[pad] borders (1,)", pad(x, {1}));
}

#include "weft/nn/models/mobilenet_block.hpp"

#include "test.hpp"

TEST_CASE("numbers of channels are divided by 8") {
  using weft::nn::models::channels_near;
  CHECK(channels_near(16) == 16);
  CHECK(channels_near(10) == 16);
  CHECK(channels_near(3) == 8);
  CHECK(channels_near(60) == 64);
}

#include "weft/dist/buckets.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

TEST_CASE("buckets hold the last parameters first") {
  nn::Sequential net{nn::Linear(8, 16), nn::Linear(16, 16), nn::Linear(16, 4)};
  nn::flatten_parameters(net);
  // Of 64 elements each: 128, 64, 256, 64, 64, 64.
  dist::Buckets<float, Cpu> buckets({}, nn::parameters(net),
                                    {.bucket_bytes = 320 * 4, .first_bucket_bytes = 64 * 4});
  CHECK(buckets.size() == 4);
  CHECK(buckets.missing().empty());
  for (const std::size_t i : {5U, 2U, 3U}) buckets.set_ready(i);
  CHECK(buckets.missing() == std::vector<std::size_t>{0, 1, 4});
  CHECK_SAYS("a second gradient of one parameter of shape (16, 16)", buckets.set_ready(2));
  buckets.set_unused(4);
  buckets.set_ready(0);
  buckets.set_ready(1);
  CHECK(buckets.missing().empty());  // all done: begun anew
  CHECK(nn::parameters(net)[4].grad().to_vector() == std::vector<float>(64, 0.0F));
}

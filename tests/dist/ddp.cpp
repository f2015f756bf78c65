#include "weft/dist/ddp.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

static_assert(dist::DdpOptions{}.bucket_bytes == 25 << 20);
static_assert(dist::DdpOptions{}.first_bucket_bytes == 1 << 20);

TEST_CASE("one rank trains as without") {
  nn::Sequential net{nn::Linear(3, 5), nn::Tanh{}, nn::Linear(5, 2)};
  const auto other = nn::clone(net);
  const dist::DistributedDataParallel model(net, dist::Group());
  CHECK(nn::parameters(net)[0].variable()->place);
  CHECK(model.buckets() == 1);
  const Var<float> x = ones({4, 3});
  Var(sum(model(x))).backward();
  Var(sum(other(x))).backward();
  CHECK(equal(nn::parameters(net)[0].grad(), nn::parameters(other)[0].grad()));
  {
    const auto local = model.no_sync();
    Var(sum(model(x))).backward();
  }
  CHECK(allclose(nn::parameters(net)[0].grad(), 2.0F * nn::parameters(other)[0].grad()));
  const NoGrad none;
  CHECK(!model(x).requires_grad());
}

#include "weft/dist/sync_batch_norm.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

TEST_CASE("alone it is BatchNorm") {
  const dist::SyncBatchNorm<> many(3, dist::Group());
  const nn::BatchNorm1d<> one(3);
  const nn::BatchNorm2d<> images(3);
  const Var<float> x = randn({8, 3});
  CHECK(allclose(many(x).value(), one(x).value(), {.atol = 1e-5}));
  CHECK(allclose(*many.running_var, *one.running_var));
  CHECK(nn::state_dict(many).names() == nn::state_dict(one).names());
  const Var<float> y = randn({4, 3, 5, 2});
  CHECK(allclose(many(y).value(), images(y).value(), {.atol = 1e-5}));
  CHECK_SAYS("an input of shape (8, 4)", many(Var<float>(ones({8, 4}))));
}

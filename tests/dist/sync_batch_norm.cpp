#include "weft/dist/sync_batch_norm.hpp"

#include "test.hpp"
#include "weft/nn.hpp"

using namespace weft;

TEST_CASE("alone it is BatchNorm1d") {
  const dist::SyncBatchNorm<> many(3, dist::Group());
  const nn::BatchNorm1d<> one(3);
  const Var<float> x = randn({8, 3});
  CHECK(equal(many(x).value(), one(x).value()));
  CHECK(equal(*many.running_var, *one.running_var));
  CHECK(nn::state_dict(many).names() == nn::state_dict(one).names());
  CHECK_SAYS("an input of shape (8, 4)", many(Var<float>(ones({8, 4}))));
}

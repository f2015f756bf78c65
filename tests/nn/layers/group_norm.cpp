#include "weft/nn/layers/group_norm.hpp"

#include "image_vectors.hpp"

using namespace weft;

static_assert(nn::Module<nn::GroupNorm<>> && nn::Module<nn::InstanceNorm2d<>>);
using test::compare_layers;

TEST_CASE_TEMPLATE("norms of each image are PyTorch's", D, TEST_DEVICES) {
  compare_layers<D>("group_norm", nn::GroupNorm<D, double>(2, 6));
  compare_layers<D>("instance_norm1d", nn::InstanceNorm1d<D, double>(3));
  compare_layers<D>("instance_norm2d", nn::InstanceNorm2d<D, double>(
                                           3, {.affine = true, .track_running_stats = true}));
  test::compare_images<D>("local_response_norm", nn::LocalResponseNorm{3, 0.3});
}

TEST_CASE_TEMPLATE("they take a batch of no images, and an image without a batch", D,
                   TEST_DEVICES) {
  const nn::GroupNorm<D> groups(2, 4);
  const Var none = parameter(ones({0, 4, 5}, D{}));
  const Var y = groups(none);
  CHECK(y.shape() == Shape{0, 4, 5});
  sum(y).backward();
  CHECK(max(abs(groups.weight->grad())).item() == 0);
  CHECK(nn::LocalResponseNorm{3}(none).shape() == Shape{0, 4, 5});
  const nn::InstanceNorm1d<D> norm(4, {.track_running_stats = true});
  CHECK(norm(none).shape() == Shape{0, 4, 5});
  CHECK(max(abs(*norm.running_mean)).item() == 0);
  const Var x = randn({4, 5}, D{});
  CHECK(allclose(norm(x).detach(), norm(x.unsqueeze(0)).detach()(0)));
}

TEST_CASE_TEMPLATE("they refuse what does not fit", D, TEST_DEVICES) {
  CHECK_SAYS("6 channels in 4 groups", nn::GroupNorm<D>(4, 6));
  CHECK_SAYS("[GroupNorm] an input of shape (2, 3)", nn::GroupNorm<D>(2, 6)(ones({2, 3}, D{})));
  CHECK_SAYS("more than one place", nn::InstanceNorm2d<D>(3)(ones({2, 3, 1, 1}, D{})));
  CHECK_SAYS("(batch, 3, ...) of 4 axes", nn::InstanceNorm2d<D>(3)(ones({2, 3, 4}, D{})));
}

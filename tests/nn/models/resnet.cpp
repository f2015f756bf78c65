#include "weft/nn/models/resnet.hpp"

#include "nn/models/models.hpp"
#include "weft/nn/fold_norm.hpp"

using namespace weft;
namespace models = nn::models;

TEST_CASE_TEMPLATE("residual networks have torchvision's names", D, TEST_DEVICES) {
  test::compare_names("resnet18", models::resnet18<D>());
  test::compare_names("resnet34", models::resnet34<D>());
  test::compare_names("resnet50", models::resnet50<D>());
}

TEST_CASE_TEMPLATE("torchvision's weights give its logits", D, TEST_DEVICES) {
  models::ResNet<models::BasicBlock<D>> basic({1, 1, 1, 1}, {.classes = 5, .width = 4}, D{});
  test::compare_logits<D>("resnet18", basic);
  CHECK(nn::fuse_conv_bn(basic, test::image<float, D>({2, 3, 32, 32})) == 12);
  models::ResNet<models::BasicBlock<D>> uneven({1, 2, 1, 2}, {.classes = 5, .width = 4}, D{});
  test::compare_logits<D>("resnet34", uneven);
  models::ResNet<models::Bottleneck<D>> deep({1, 1, 1, 1}, {.classes = 5, .width = 4}, D{});
  test::compare_logits<D>("resnet50", deep);
}

TEST_CASE_TEMPLATE("a residual network learns, and moves", D, TEST_DEVICES) {
  const models::ResNet<models::BasicBlock<D>> net(
      {1, 1, 1, 1}, {.classes = 3, .width = 4, .small_images = true}, D{});
  const auto x = test::image<float, D>({4, 3, 16, 16});
  const Tensor<int64_t, D> labels = arange<int64_t>(4, D{}) % int64_t{3};
  const Var before = cross_entropy(net(Var(x)), labels);
  before.backward();
  for (const auto& p : nn::parameters(net)) {
    CHECK(all(isfinite(p.grad())).item());
    p.detach().assign(p.detach() - 0.02F * p.grad());
  }
  CHECK(cross_entropy(net(Var(x)), labels).item() < before.item());
  const auto there = nn::to(net, Cpu{});
  CHECK(there.layer2.size() == 1);
  CHECK(there.layer2[0].downsample.has_value());
}

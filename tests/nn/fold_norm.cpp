#include "weft/nn/fold_norm.hpp"

#include "gradients.hpp"
#ifdef __CUDACC__
#include "weft/cuda/conv.hpp"
#endif
#include "weft/nn/layers/sequential.hpp"

using namespace weft;

namespace {
/// Statistics and weights as training leaves them.
template <class N>
N shaken(N norm) {
  const auto c = norm.channels;
  using D = typename std::remove_cvref_t<decltype(*norm.running_mean)>::device_type;
  norm.running_mean->assign(cast<float>(test::numbers<D>({c})));
  norm.running_var->assign(cast<float>(test::numbers<D>({c}, 0.5) + 1.0));
  norm.weight->detach().assign(cast<float>(test::numbers<D>({c}, 1.5)));
  norm.bias->detach().assign(cast<float>(test::numbers<D>({c}, -0.25)));
  return norm;
}

/// The norm stands behind the convolution and comes before it.
template <class D>
struct Reversed {
  nn::Conv2d<D> conv{4, 4, 1};
  nn::BatchNorm2d<D> norm = shaken(nn::BatchNorm2d<D>(4));
  auto fields() { return nn::fields("conv", conv, "norm", norm); }
  Var<float, D> operator()(const Var<float, D>& x) const { return conv(norm(x)); }
};
}  // namespace

TEST_CASE_TEMPLATE("norms are folded into the layers before them", D, TEST_DEVICES) {
  manual_seed(3);
  nn::Sequential net{nn::Conv2d<D>(3, 6, 3, {.padding = 1, .groups = 3}),
                     shaken(nn::BatchNorm2d<D>(6)),
                     nn::ReLU{},
                     nn::Conv2d<D>(6, 4, 3, {.bias = false}),
                     shaken(nn::BatchNorm2d<D>(4)),
                     nn::Flatten{},
                     nn::Linear<D>(36, 5),
                     shaken(nn::BatchNorm1d<D>(5))};
  nn::eval(net);
  const auto before = nn::clone(net);
  const Tensor<float, D> x = cast<float>(test::numbers<D>({2, 3, 5, 5}));
  const Tensor<float, D> y = net(x).detach();
  CHECK(nn::fuse_conv_bn(net, x) == 3);
  CHECK(allclose(net(x).detach(), y, {1e-4, 1e-4}));
  CHECK(std::get<1>(net.modules).folded);
  CHECK(std::get<3>(net.modules).bias.has_value());
  CHECK_FALSE(
      equal(std::get<0>(net.modules).weight.detach(), std::get<0>(before.modules).weight.detach()));
  CHECK(nn::fuse_conv_bn(net, x) == 0);
  nn::train(net);
  CHECK_SAYS("[BatchNorm2d] folded into the layer before it", net(x));
  const auto one = nn::fuse_conv_bn(std::get<0>(before.modules), std::get<1>(before.modules));
  CHECK(allclose(one(x).detach(),
                 std::get<1>(before.modules)(std::get<0>(before.modules)(x)).detach(),
                 {1e-5, 1e-5}));
  CHECK_SAYS("[fuse_conv_bn] a layer with a weight of shape (4, 6, 3, 3) and a norm of 6 channels",
             nn::fuse_conv_bn(std::get<3>(before.modules), std::get<1>(before.modules)));
}

TEST_CASE_TEMPLATE("a norm that does not follow its layer stays", D, TEST_DEVICES) {
  manual_seed(3);
  Reversed<D> net;
  const Tensor<float, D> x = cast<float>(test::numbers<D>({2, 4, 3, 3}));
  nn::eval(net);
  const Tensor<float, D> y = net(x).detach();
  CHECK_SAYS("[fuse_conv_bn] values change by", nn::fuse_conv_bn(net, x));
  CHECK(equal(net(x).detach(), y));
  CHECK_FALSE(net.norm.folded);
}

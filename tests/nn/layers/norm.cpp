#include "weft/nn/layers/norm.hpp"

#include "training.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

static_assert(nn::Module<nn::LayerNorm<>> && nn::Module<nn::RMSNorm<>>);
using test::pytorch;

namespace {
/// Values, gradients and buffers after a training step are PyTorch's.
template <class D, class M>
void compare(const std::string& name, M& module) {
  CAPTURE(name);
  const std::string at = "layer." + name + ".";
  nn::load_state_dict(module, pytorch().under(at + "before."));
  const Var x = parameter(pytorch<double, D>(at + "x"));
  const Var y = module(x);
  CHECK(allclose(y.detach(), pytorch<double, D>(at + "y"), {1e-9, 1e-9}));
  const Tensor<double, D> weight =
      cast<double>(arange<int64_t>(1, y.size() + 1)).eval().to(D{}).reshape(y.shape());
  const Var loss = sum(y * y * weight);
  loss.backward();
  CHECK(allclose(x.grad(), pytorch<double, D>(at + "dx"), {1e-8, 1e-8}));
  for (const auto& [key, p] : nn::named_parameters(module)) {
    CHECK(allclose(p.grad(), pytorch<double, D>(at + "grad." + key), {1e-8, 1e-8}));
  }
}
}  // namespace

TEST_CASE_TEMPLATE("LayerNorm is PyTorch's", D, TEST_DEVICES) {
  nn::LayerNorm<D, double> norm(Shape{2, 3});
  compare<D>("layer_norm", norm);
  CHECK_SAYS("(4, 3), expected last axes of (2, 3)", norm(ones<double>({4, 3}, D{})));
  const Var plain = nn::LayerNorm<D>(4, {.affine = false})(ones({2, 4}, D{}));
  CHECK(all(plain.detach() == 0.0F).item());
}

TEST_CASE_TEMPLATE("RMSNorm divides by the root mean square", D, TEST_DEVICES) {
  const nn::RMSNorm<D, double> norm(4);
  const Var x = parameter(test::numbers<D>({3, 4}));
  const Tensor expected = x.detach() / sqrt(mean(square(x.detach()), axis(1), keepdims));
  CHECK(allclose(norm(x).detach(), expected, {1e-12, 1e-12}));
  CHECK(nn::RMSNorm<D>(4).epsilon == 0x1p-23);
  const auto apply = [&](const auto& v) { return norm(v); };
  CHECK(gradcheck(apply, x));
}

#include "weft/nn/layers/batch_norm.hpp"

#include "image_vectors.hpp"
#include "images.hpp"
#include "training.hpp"
#include "weft/nn/module.hpp"
#include "weft/nn/state.hpp"

using namespace weft;

static_assert(nn::Module<nn::BatchNorm1d<>> && nn::Module<nn::BatchNorm2d<>> &&
              nn::Module<nn::BatchNorm3d<>>);
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

TEST_CASE_TEMPLATE("BatchNorm1d is PyTorch's", D, TEST_DEVICES) {
  const auto after = [](auto& norm, const std::string& name) {
    compare<D>(name, norm);
    const std::string at = "layer." + name + ".";
    CHECK(
        allclose(*norm.running_mean, pytorch<double, D>(at + "after.running_mean"), {1e-9, 1e-9}));
    CHECK(allclose(*norm.running_var, pytorch<double, D>(at + "after.running_var"), {1e-9, 1e-9}));
    CHECK(norm.num_batches_tracked->item() == 1);
    nn::eval(norm);
    const auto x = pytorch<double, D>(at + "x");
    CHECK(allclose(norm(x).detach(), pytorch<double, D>(at + "eval"), {1e-9, 1e-9}));
    CHECK(norm.num_batches_tracked->item() == 1);
  };
  nn::BatchNorm1d<D, double> norm(3);
  after(norm, "batch_norm");
  nn::BatchNorm1d<D, double> cumulative(3, {.momentum = {}});
  after(cumulative, "batch_norm_long");
}

TEST_CASE_TEMPLATE("BatchNorm1d refuses what does not fit", D, TEST_DEVICES) {
  nn::BatchNorm1d<D> norm(3);
  CHECK_SAYS("more than one value a channel", norm(ones({1, 3}, D{})));
  CHECK_SAYS("expected (batch, 3)", norm(ones({3, 4}, D{})));
  nn::eval(norm);
  CHECK(norm(ones({1, 3}, D{})).shape() == Shape{1, 3});
}

TEST_CASE_TEMPLATE("BatchNorm2d and 3d are PyTorch's", D, TEST_DEVICES) {
  test::compare_layers<D>("batch_norm2d", nn::BatchNorm2d<D, double>(3));
  test::compare_layers<D>("batch_norm3d", nn::BatchNorm3d<D, double>(2, {.momentum = {}}));
  nn::BatchNorm2d<D> norm(3);
  CHECK_SAYS("[BatchNorm2d] an input of shape (2, 3, 4), expected (batch, 3, ...) of 4 axes",
             norm(ones({2, 3, 4}, D{})));
}

TEST_CASE_TEMPLATE("relu in the same pass is relu of the result", D, TEST_DEVICES) {
  const nn::BatchNorm2d<D, double> norm(3);
  norm.weight->detach().assign(test::numbers<D>({3}, 1.0));
  norm.bias->detach().assign(test::numbers<D>({3}, 0.1));
  const auto values = test::numbers<D>({2, 3, 4, 5});
  const auto gradients = [&](const auto& f) {
    const Var x = parameter(values);
    nn::zero_grad(norm);
    const Var y = f(x);
    y.backward(test::numbers<D>({2, 3, 4, 5}, 0.5));
    return std::tuple(y.detach(), x.grad(), norm.weight->grad().clone(), norm.bias->grad().clone());
  };
  const auto [y, dx, dw, db] = gradients([&](const auto& x) { return norm.relu(x); });
  const auto [z, ex, ew, eb] = gradients([&](const auto& x) { return Var(relu(norm(x))); });
  CHECK(allclose(y, z, {1e-12, 1e-12}));
  CHECK(allclose(dx, ex, {1e-12, 1e-12}));
  CHECK(allclose(dw, ew, {1e-12, 1e-12}));
  CHECK(allclose(db, eb, {1e-12, 1e-12}));
  const auto shortcut = test::numbers<D>({2, 3, 4, 5}, 0.3);
  CHECK(allclose(norm.relu(values, shortcut).detach(),
                 relu(norm(values).detach() + shortcut).eval(), {1e-12, 1e-12}));
  CHECK_SAYS("[BatchNorm2d] an input of shape (2, 3, 4, 5) and what is added of shape (2, 3, 4, 1)",
             norm.relu(values, test::numbers<D>({2, 3, 4, 1})));
}

TEST_CASE_TEMPLATE("relu in eval mode is relu of the result, recorded or not", D, TEST_DEVICES) {
  nn::BatchNorm2d<D, double> norm(3);
  norm.weight->detach().assign(test::numbers<D>({3}, 1.0));
  norm.bias->detach().assign(test::numbers<D>({3}, 0.1));
  norm.running_mean->assign(test::numbers<D>({3}, 0.2));
  nn::eval(norm);
  const Var x = parameter(test::numbers<D>({2, 3, 4, 5}));
  const Var shortcut = parameter(test::numbers<D>({2, 3, 4, 5}, 0.3));
  const auto plain = norm(x).detach();
  const auto cut = relu(plain).eval();
  const auto added = relu(plain + shortcut.detach()).eval();
  CHECK(allclose(norm.relu(x).detach(), cut, {1e-12, 1e-12}));
  CHECK(allclose(norm.relu(x, shortcut).detach(), added, {1e-12, 1e-12}));
  CHECK(gradcheck([&](const auto& a) { return norm.relu(a); }, x));
  CHECK(gradcheck([&](const auto& a, const auto& b) { return norm.relu(a, b); }, x, shortcut));
  const NoGrad guard;
  CHECK(allclose(norm(x).detach(), plain, {1e-12, 1e-12}));
  CHECK(allclose(norm.relu(x).detach(), cut, {1e-12, 1e-12}));
  CHECK(allclose(norm.relu(x, shortcut).detach(), added, {1e-12, 1e-12}));
  CHECK_FALSE(norm.relu(x).requires_grad());
}

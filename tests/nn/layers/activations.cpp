#include "weft/nn/layers/activations.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("activation functions as modules", D, TEST_DEVICES) {
  const auto x = test::numbers<D>({3, 4});
  CHECK(allclose(nn::ReLU{}(x), relu(x)));
  CHECK(allclose(nn::GELU{}(x), gelu(x)));
  CHECK(allclose(nn::SiLU{}(x), silu(x)));
  CHECK(allclose(nn::Tanh{}(x), tanh(x)));
  CHECK(allclose(nn::Sigmoid{}(x), sigmoid(x)));
  CHECK(allclose(nn::Softmax{}(x), softmax(x)));
  CHECK(allclose(nn::Softmax{0}(x), softmax(x, axis(0))));
  CHECK(allclose(nn::LogSoftmax{0}(x), log_softmax(x, axis(0))));
  CHECK(allclose(nn::Softmin{}(x), softmax(-x)));
  CHECK(allclose(nn::LeakyReLU{0.3}(x), leaky_relu(x, 0.3)));
  CHECK(allclose(nn::ELU{2}(x), elu(x, 2)));
  CHECK(allclose(nn::SELU{}(x), selu(x)));
  CHECK(allclose(nn::CELU{2}(x), celu(x, 2)));
  CHECK(allclose(nn::Softplus{2, 1}(x), softplus(x, 2, 1)));
  CHECK(allclose(nn::Softsign{}(x), softsign(x)));
  CHECK(allclose(nn::Mish{}(x), mish(x)));
  CHECK(allclose(nn::LogSigmoid{}(x), logsigmoid(x)));
  CHECK(allclose(nn::Hardtanh{-0.5, 0.25}(x), clamp(x, -0.5, 0.25)));
  CHECK(allclose(nn::Threshold{0.25, 7}(x), where(x > 0.25, x, 7.0)));
  CHECK(allclose(nn::Softshrink{0.1}(x), softshrink(x, 0.1)));
  CHECK(allclose(nn::Hardshrink{0.1}(x), hardshrink(x, 0.1)));
  CHECK(allclose(nn::Tanhshrink{}(x), x - tanh(x)));
}

TEST_CASE_TEMPLATE("ReLU6, Hardswish, Hardsigmoid and Identity", D, TEST_DEVICES) {
  const Tensor x = tensor(std::vector<float>{-4, -1, 0, 2, 5, 8}, Shape{6}).to(D{});
  CHECK(nn::ReLU6{}(x).eval().to_vector() == std::vector<float>{0, 0, 0, 2, 5, 6});
  CHECK(nn::Identity{}(x).to_vector() == x.to_vector());
  const auto near = [&](const auto& y, std::vector<float> wanted) {
    CHECK(allclose(Tensor<float, D>(y).to(Cpu{}), tensor(wanted), {1e-6, 1e-6}));
  };
  near(nn::Hardsigmoid{}(x), {0, 1.0F / 3, 0.5F, 5.0F / 6, 1, 1});
  near(nn::Hardswish{}(x), {0, -1.0F / 3, 0, 5.0F / 3, 5, 8});
}

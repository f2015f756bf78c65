#include "weft/nn/layers/noisy.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("rrelu draws slopes in training, and their mean otherwise", D, TEST_DEVICES) {
  manual_seed(5);
  const Var x = parameter(full<float>({200, 100}, -2.0F, D{}));
  const nn::RReLU layer{0.1, 0.5};
  const Var y = layer(x);
  const Tensor slope = y.detach() / -2.0F;
  CHECK(min(slope).item() >= 0.1F);
  CHECK(max(slope).item() <= 0.5F);
  CHECK(max(slope).item() > 0.49F);
  CHECK(mean(slope).item() == doctest::Approx(0.3).epsilon(0.02));
  y.backward(ones({200, 100}, D{}));
  CHECK(allclose(x.grad(), slope));
  CHECK(allclose(rrelu(x, 0.1, 0.5).detach(), -2.0F * full({200, 100}, 0.3F, D{})));
  CHECK(all(layer(ones({5}, D{})).detach() == 1.0F).item());
  CHECK_SAYS("[rrelu] lower 2 and upper 1", rrelu(x, 2, 1));
}

TEST_CASE_TEMPLATE("gumbel_softmax draws categories with their probabilities", D, TEST_DEVICES) {
  manual_seed(5);
  const std::vector<float> chances{0.1F, 0.2F, 0.7F};
  const Tensor<float, D> logits = log(tensor(chances).to(D{})).eval().expand({20000, 3}) + 0.0F;
  const Var x = parameter(logits);
  const Var hard = gumbel_softmax(x, {.tau = 0.5, .hard = true});
  CHECK(allclose(sum(hard.detach(), axis(1)), ones({20000}, D{})));
  CHECK(allclose(max(hard.detach(), axis(1)), ones({20000}, D{})));
  const auto share = mean(hard.detach(), axis(0)).eval().to_vector();
  for (std::size_t i = 0; i < 3; ++i) CHECK(share[i] == doctest::Approx(chances[i]).epsilon(0.06));
  const Tensor<float, D> weight = arange<float>(3, D{});
  sum(hard * weight).eval().backward();
  CHECK(max(abs(x.grad())).item() > 0);
  CHECK(allclose(sum(x.grad(), axis(1)), zeros({20000}, D{}), {0, 1e-4}));
  const Tensor<float, D> soft = gumbel_softmax(logits.t(), {.along = 0}).detach();
  CHECK(allclose(sum(soft, axis(0)), ones({20000}, D{})));
  CHECK_SAYS("[gumbel_softmax] tau 0", gumbel_softmax(x, {.tau = 0}));
}

#include "weft/nn/layers/dropout.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("Dropout keeps the mean and passes the gradient of what it kept", D,
                   TEST_DEVICES) {
  manual_seed(5);
  nn::Dropout dropout{0.25};
  const Var x = parameter(full<float>({100, 100}, 3.0F, D{}));
  const Var y = dropout(x);
  const Tensor zero = cast<float>(y.detach() == 0.0F);
  CHECK(mean(zero).item() == doctest::Approx(0.25).epsilon(0.05));
  CHECK(allclose(y.detach(), 4.0F * (1.0F - zero)));
  y.backward(ones({100, 100}, D{}));
  CHECK(allclose(x.grad(), y.detach() / 3.0F));
  const Var again = dropout(x);
  CHECK(!equal(again.detach(), y.detach()));
  dropout.training = false;
  CHECK(equal(Var(dropout(x)).detach(), x.detach()));
  CHECK(all(nn::Dropout{1}(x).detach() == 0.0F).item());
  CHECK_SAYS("p = 2, expected 0 to 1", nn::Dropout{2}(x));
}

TEST_CASE_TEMPLATE("Dropout2d drops whole channels", D, TEST_DEVICES) {
  nn::Dropout2d drop{0.25};
  const Tensor x = ones({64, 32, 3, 3}, D{});
  manual_seed(4);
  const Tensor y = drop(x).value().to(Cpu{});
  const Tensor<float> sums = sum(y, axis(2, 3));
  int64_t kept = 0;
  for (const float s : sums.to_vector()) {
    CHECK((s == 0.0F || s == doctest::Approx(9 / 0.75)));
    kept += s > 0 ? 1 : 0;
  }
  CHECK(kept == doctest::Approx(0.75 * 64 * 32).epsilon(0.05));
  const Var leaf = parameter(x);
  const Var z = drop(leaf);
  z.backward(ones({64, 32, 3, 3}, D{}));
  CHECK(equal(leaf.grad(), z.detach()));
  drop.training = false;
  CHECK(equal(drop(x).value(), x));
  CHECK_SAYS("[Dropout2d] an input of shape (2, 3)", nn::Dropout2d{}(ones({2, 3}, D{})));
}

TEST_CASE_TEMPLATE("Dropout1d and Dropout3d drop channels, with and without a batch", D,
                   TEST_DEVICES) {
  manual_seed(5);
  const auto check = [](const auto& layer, const Tensor<float, D>& x, const Axes& rest) {
    const Tensor y = layer(x).detach();
    const auto low = min(y, rest).eval().to_vector();
    const auto high = max(y, rest).eval().to_vector();
    CHECK(low == high);
    int64_t kept = 0;
    for (const float v : low) {
      CHECK((v == 0 || v == 2));
      kept += v > 0 ? 1 : 0;
    }
    CHECK(kept > static_cast<int64_t>(low.size()) / 3);
    CHECK(kept < 2 * static_cast<int64_t>(low.size()) / 3);
  };
  check(nn::Dropout1d{}, ones({10, 20, 7}, D{}), axis(2));
  check(nn::Dropout1d{}, ones({200, 7}, D{}), axis(1));
  check(nn::Dropout3d{}, ones({10, 20, 2, 3, 2}, D{}), axis(2, 3, 4));
  check(nn::Dropout3d{}, ones({200, 2, 3, 2}, D{}), axis(1, 2, 3));
  CHECK_SAYS("[Dropout1d] an input of shape (3,)", nn::Dropout1d{}(ones({3}, D{})));
  CHECK_SAYS("[Dropout3d] an input of shape (3, 2, 2)", nn::Dropout3d{}(ones({3, 2, 2}, D{})));
}

TEST_CASE_TEMPLATE("AlphaDropout keeps mean 0 and variance 1", D, TEST_DEVICES) {
  manual_seed(5);
  const Tensor x = randn({1000, 100}, D{});
  const auto check = [&](const auto& layer, double tolerance) {
    const Tensor y = layer(x).detach();
    CHECK(std::abs(mean(y).item()) < tolerance);
    CHECK(weft::std(y).item() == doctest::Approx(1).epsilon(tolerance));
  };
  check(nn::AlphaDropout{0.3}, 0.02);
  check(nn::FeatureAlphaDropout{0.3}, 0.02);
  nn::AlphaDropout layer{0.3};
  const Var leaf = parameter(x);
  const Var y = layer(leaf);
  y.backward(ones(x.shape(), D{}));
  // What was kept has one slope, what was not has none and one value.
  const float slope = max(leaf.grad()).item();
  const Tensor lost = where(leaf.grad() == 0.0F, y.detach(), -9.0F);
  CHECK(slope > 0);
  CHECK(mean(cast<float>(leaf.grad() == slope)).item() == doctest::Approx(0.7).epsilon(0.02));
  const float value = max(lost).item();
  CHECK(all(lost == value || lost == -9.0F).item());
  layer.training = false;
  CHECK(equal(layer(x).detach(), x));
  CHECK(all(nn::AlphaDropout{1}(x).detach() == 0.0F).item());
  CHECK_SAYS("[AlphaDropout] p = 2", nn::AlphaDropout{2}(x));
  CHECK_SAYS("[FeatureAlphaDropout] an input of shape (2,)",
             nn::FeatureAlphaDropout{}(ones({2}, D{})));
}

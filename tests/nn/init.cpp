#include "weft/nn/init.hpp"

#include "gradients.hpp"

using namespace weft;

namespace {
template <class V>
double deviation(const V& x) {
  return static_cast<double>(weft::std(x.detach()).item());
}
template <class V>
double largest(const V& x) {
  return static_cast<double>(max(abs(x.detach())).item());
}
}  // namespace

TEST_CASE_TEMPLATE("initialisers have PyTorch's bounds and deviations", D, TEST_DEVICES) {
  const Var x = parameter(zeros({40, 20, 5}, D{}));  // fan in 100, out 200
  nn::init::xavier_uniform(x, 2);
  CHECK(largest(x) <= 2 * std::sqrt(6.0 / 300));
  CHECK(largest(x) > 0.99 * 2 * std::sqrt(6.0 / 300));
  nn::init::xavier_normal(x);
  CHECK(deviation(x) == doctest::Approx(std::sqrt(2.0 / 300)).epsilon(0.05));
  nn::init::kaiming_uniform(x);
  CHECK(largest(x) <= std::sqrt(6.0 / 100) + 1e-7);
  CHECK(largest(x) > 0.99 * std::sqrt(6.0 / 100));
  nn::init::kaiming_uniform(x, nn::init::leaky_relu_gain(std::sqrt(5.0)));
  CHECK(largest(x) <= 0.1 + 1e-7);
  nn::init::kaiming_normal(x, nn::init::relu_gain(), nn::init::Fan::out);
  CHECK(deviation(x) == doctest::Approx(std::sqrt(2.0 / 200)).epsilon(0.05));
  nn::init::normal(x, 3, 0.5);
  CHECK(mean(x.detach()).item() == doctest::Approx(3).epsilon(0.02));
  CHECK(deviation(x) == doctest::Approx(0.5).epsilon(0.05));
  nn::init::trunc_normal(x, 1, 1, 0, 2);
  CHECK(min(x.detach()).item() >= 0);
  CHECK(max(x.detach()).item() <= 2);
  CHECK(mean(x.detach()).item() == doctest::Approx(1).epsilon(0.05));
  CHECK(deviation(x) == doctest::Approx(0.5396).epsilon(0.05));  // of a normal cut at one deviation
  nn::init::constant(x, 4);
  CHECK(all(x.detach() == 4.0F).item());
  nn::init::zeros(x);
  CHECK(all(x.detach() == 0.0F).item());
  nn::init::ones(x);
  CHECK(all(x.detach() == 1.0F).item());
  CHECK(x.requires_grad());
}

TEST_CASE("initialisers refuse what does not fit") {
  const Var x = parameter(zeros({4}));
  CHECK_SAYS("expected at least 2 axes", nn::init::xavier_uniform(x));
  CHECK_SAYS("expected an interval", nn::init::trunc_normal(x, 0, 1, 5, 9));
}

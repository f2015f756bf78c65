#include "weft/nn/losses/likelihood.hpp"

#include "training.hpp"
#include "weft/nn/losses/criteria.hpp"

using namespace weft;
using test::compare_loss;
using test::pytorch;

TEST_CASE_TEMPLATE("likelihoods are PyTorch's", D, TEST_DEVICES) {
  const auto z = pytorch<double, D>("more.z");
  const auto counts = pytorch<double, D>("more.counts");
  compare_loss<D>("more.gaussian", {"more.x", "more.variance"}, [&](const auto& x, auto r) {
    return nn::GaussianNLLLoss{.full = true}(x[0], z, x[1], r);
  });
  compare_loss<D>("more.poisson", {"more.z"}, [&](const auto& x, auto r) {
    return nn::PoissonNLLLoss{.full = true}(x[0], counts, r);
  });
  compare_loss<D>("more.poisson_mean", {"more.variance"}, [&](const auto& x, auto r) {
    return nn::poisson_nll_loss(x[0], counts, {.log_input = false}, r);
  });
}

TEST_CASE("counts that are a Var have their gradient, Stirling's formula included") {
  const Var x = parameter(tensor({0.5, -1.0}));
  const Var counts = parameter(tensor({3.0, 0.5}));
  nn::poisson_nll_loss(x, counts, {.full = true}, nn::reduce::sum).backward();
  // d/dy (-y x + y log y - y + log(2 pi y) / 2), and -x up to 1
  CHECK(counts.grad().at(0) == doctest::Approx(-0.5 + std::log(3.0) + 1 / 6.0));
  CHECK(counts.grad().at(1) == doctest::Approx(1.0));
}

TEST_CASE("a variance is one a row or one an element") {
  const Tensor x = zeros<double>({2, 3});
  const Tensor y = ones<double>({2, 3});
  const double one = nn::gaussian_nll_loss(x, y, full<double>({2}, 4.0)).item();
  CHECK(one == doctest::Approx((std::log(4.0) + 0.25) / 2));
  CHECK(nn::gaussian_nll_loss(x, y, full<double>({2, 1}, 4.0)).item() == doctest::Approx(one));
  CHECK_SAYS("a variance of shape (3,) for an input of shape (2, 3, 4)",
             nn::gaussian_nll_loss(ones({2, 3, 4}), ones({2, 3, 4}), ones({3})));
  CHECK_SAYS("epsilon 0", nn::gaussian_nll_loss(x, y, y, {.epsilon = 0}));
}

#include "weft/optim/clip.hpp"

#include "gradients.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("clip_grad_norm scales all gradients alike", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({2}, D{}));
  const Var y = parameter(zeros<double>({1}, D{}));
  const Var z = parameter(zeros<double>({1}, D{}));
  const std::vector parameters{x, y, z};
  const auto set = [&] {
    x.set_grad(tensor({3.0, -4.0}).to(D{}));
    y.set_grad(tensor({12.0}).to(D{}));
  };
  set();
  CHECK(optim::clip_grad_norm(parameters, 1).item() == doctest::Approx(13));
  CHECK(y.grad().item() == doctest::Approx(12 / (13 + 1e-6)).epsilon(1e-12));
  CHECK(x.grad().to(Cpu{}).at(1) == doctest::Approx(-4 / (13 + 1e-6)).epsilon(1e-12));
  CHECK(!z.has_grad());
  set();
  CHECK(optim::clip_grad_norm(parameters, 20).item() == doctest::Approx(13));
  CHECK(y.grad().item() == 12);
  CHECK(optim::clip_grad_norm(parameters, 20, math::infinity<double>).item() == 12);
  CHECK(optim::clip_grad_norm(parameters, 38, 1).item() == doctest::Approx(19));
  CHECK_SAYS("max_norm -1", optim::clip_grad_norm(parameters, -1));
  CHECK_SAYS("p 0", optim::clip_grad_norm(parameters, 1, 0));
}

TEST_CASE_TEMPLATE("gradients in an arena are clipped alike", D, TEST_DEVICES) {
  const double infinity = math::infinity<double>;
  for (const double p : {1.0, 2.0, 3.0, infinity}) {
    CAPTURE(p);
    std::vector<Var<double, D>> apart;
    std::vector<Var<double, D>> flat;
    std::vector<Var<double, D>*> leaves;
    for (int i = 0; i < 4; ++i) {
      apart.push_back(parameter(zeros<double>({i + 1, 3}, D{})));
      flat.push_back(parameter(zeros<double>({i + 1, 3}, D{})));
    }
    for (auto& x : flat) leaves.push_back(&x);
    autograd::move_into_arena(leaves);
    for (int i = 0; i < 4; ++i) {
      if (i == 2) continue;
      apart[size_t(i)].set_grad(test::numbers<D>({i + 1, 3}, i));
      flat[size_t(i)].set_grad(test::numbers<D>({i + 1, 3}, i));
    }
    const double norm = optim::clip_grad_norm(apart, 0.5, p).item();
    CHECK(optim::clip_grad_norm(flat, 0.5, p).item() == doctest::Approx(norm).epsilon(1e-14));
    for (std::size_t i : {0, 1, 3}) {
      CHECK(allclose(flat[i].grad(), apart[i].grad(), {.rtol = 1e-14, .atol = 0}));
    }
    CHECK_FALSE(flat[2].has_grad());
    // A norm that is NaN leaves nothing behind it.
    flat[0].grad().fill(std::nan(""));
    CHECK(std::isnan(optim::clip_grad_norm(flat, 1, p).item()));
    for (const auto& x : flat) x.set_grad(full_like(x.detach(), 2.0));
    CHECK(optim::clip_grad_norm(flat, 100, infinity).item() == 2);
    CHECK(optim::clip_grad_norm(flat, 100, 1).item() == doctest::Approx(60));
    optim::clip_grad_value(flat, 1);
    for (const auto& x : flat) CHECK(all(x.grad() == 1.0).item());
  }
  CHECK(optim::clip_grad_norm(std::vector{parameter(ones({2}, D{}))}, 1).item() == 0);
}

TEST_CASE_TEMPLATE("clip_grad_value", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({3}, D{}));
  const std::vector parameters{x};
  x.set_grad(tensor({3.0, -4.0, 0.5}).to(D{}));
  optim::clip_grad_value(parameters, 1);
  CHECK(equal(x.grad(), tensor({1.0, -1.0, 0.5}).to(D{})));
  CHECK_SAYS("limit -1", optim::clip_grad_value(parameters, -1));
}

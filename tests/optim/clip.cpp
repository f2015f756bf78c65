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

TEST_CASE_TEMPLATE("clip_grad_value", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({3}, D{}));
  const std::vector parameters{x};
  x.set_grad(tensor({3.0, -4.0, 0.5}).to(D{}));
  optim::clip_grad_value(parameters, 1);
  CHECK(equal(x.grad(), tensor({1.0, -1.0, 0.5}).to(D{})));
  CHECK_SAYS("limit -1", optim::clip_grad_value(parameters, -1));
}

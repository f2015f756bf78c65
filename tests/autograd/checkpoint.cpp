#include "weft/autograd/checkpoint.hpp"

#include "gradients.hpp"

using namespace weft;
using test::numbers;

TEST_CASE_TEMPLATE("grad gives gradients and leaves those that are there", D, TEST_DEVICES) {
  const Var x = parameter(numbers<D>({3}));
  const Var w = parameter(numbers<D>({3}, 1));
  const Var h = x * w;
  const Var y = sum(h * h);
  const auto [gx, gh] = grad(retain, y, x, h);
  CHECK(allclose(gh, h.detach() * 2.0));
  CHECK(allclose(gx, h.detach() * 2.0 * w.detach()));
  CHECK_FALSE(x.has_grad());
  CHECK_FALSE(w.has_grad());
  y.backward(retain);
  const auto before = w.grad().clone();
  CHECK(allclose(grad(y, w), before));
  CHECK(allclose(w.grad(), before));
  CHECK(allclose(grad(sum(x * w), w), x.detach()));
  const Var other = parameter(numbers<D>({3}));
  const Var z = sum(x * 2.0);
  CHECK_SAYS("does not depend on one of the Vars", grad(z, other));
}

TEST_CASE_TEMPLATE("a checkpoint computes again, with the same random numbers", D, TEST_DEVICES) {
  const Var w = parameter(numbers<D>({40}, 1));
  const auto block = [w](const Var<double, D>& v) {
    const Var kept = where(uniform<double>({40}) < 0.5, v * w, 0.0);
    return Var(sin(kept) * v);
  };
  const Var x = parameter(numbers<D>({40}));
  const auto run = [&](bool saving) {
    default_generator().manual_seed(7);
    x.zero_grad();
    w.zero_grad();
    const Var h = x * 2.0;
    const Var y = sum(saving ? checkpoint(block, h) : block(h)) + sum(w * 3.0);
    const double value = y.item();
    y.backward();
    default_generator().manual_seed(0);
    return value;
  };
  const double value = run(false);
  const auto gx = x.grad().clone();
  const auto gw = w.grad().clone();
  CHECK(run(true) == value);
  CHECK(allclose(x.grad(), gx));
  CHECK(allclose(w.grad(), gw));
}

TEST_CASE_TEMPLATE("anomaly mode names the statement", D, TEST_DEVICES) {
  const Var x = parameter(zeros<double>({2}, D{}));
  const Var y = sqrt(x);
  const Var z = sum(y * 0.0);
  const AnomalyMode guard;
  CHECK_SAYS("has NaN in it", z.backward());
  const Var a = sqrt(x);
  const Var b = sum(a * 0.0);
  CHECK_SAYS("operand 0 of sqrt(double) at", b.backward());
}

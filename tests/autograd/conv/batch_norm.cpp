#include "weft/autograd/conv/batch_norm.hpp"

#include "gradients.hpp"
#include "images.hpp"

using namespace weft;

TEST_CASE_TEMPLATE("the closed form is the gradient", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({3, 2, 4}));
  const Var w = parameter(test::numbers<D>({2}, 1.0));
  const Var b = parameter(test::numbers<D>({2}, 0.4));
  for (const bool relu : {false, true}) {
    const auto f = [&](const auto& a, const auto& k, const auto& s) {
      autograd::BatchStatistics<double, D> found;
      return autograd::batch_norm(a, k, s, 1e-5, relu, found);
    };
    CHECK(gradcheck(f, x, w, b));
  }
  const auto residual = [&](const auto& a, const auto& k, const auto& s, const auto& r) {
    autograd::BatchStatistics<double, D> found;
    return autograd::batch_norm(a, k, s, 1e-5, true, found, &r);
  };
  CHECK(gradcheck(residual, x, w, b, parameter(test::numbers<D>({3, 2, 4}, 0.7))));
  autograd::BatchStatistics<double, D> found;
  const Var y = autograd::batch_norm(x, w, b, 1e-5, false, found);
  CHECK(found.mean.shape() == Shape{1, 2, 1});
  CHECK(allclose(found.mean, mean(x.detach(), axis(0, 2), keepdims), {1e-12, 1e-12}));
}

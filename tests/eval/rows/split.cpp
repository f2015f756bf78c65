// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/rows/split.hpp"

#include "test.hpp"

#include "weft/explain.hpp"

using namespace weft;

namespace {

template <class X>
auto divergence(const X& x, const X& y) {
  auto p = softmax(x, axis(-1));
  auto q = softmax(y, axis(-1));
  auto m = (p + q) * 0.5F;
  return sum(p * (log(p) - log(m)) + q * (log(q) - log(m)), axis(-1)) * 0.5F;
}

}  // namespace

TEST_CASE_TEMPLATE(
    "a statement of many reductions evaluates what occurs several times once, before", D,
    TEST_DEVICES) {
  const Tensor<float, D> x = tensor({{1.0F, -2.0F, 3.0F}, {0.0F, 2.0F, -1.0F}}, D{}) * 0.5F;
  const Tensor<float, D> y = tensor({{2.0F, 0.0F, 1.0F}, {0.0F, 2.0F, -1.0F}}, D{}) * 0.5F;
  const Tensor<float, D> z = divergence(x, y);
  std::vector<double> expected;
  const auto a = x.to(Cpu{}).to_vector();
  const auto b = y.to(Cpu{}).to_vector();
  for (std::size_t row = 0; row < 2; ++row) {
    double p[3];
    double q[3];
    double of_p = 0;
    double of_q = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      of_p += p[k] = std::exp(double{a[3 * row + k]});
      of_q += q[k] = std::exp(double{b[3 * row + k]});
    }
    double total = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] /= of_p;
      q[k] /= of_q;
      const double m = (p[k] + q[k]) / 2;
      total += 0.5 * (p[k] * std::log(p[k] / m) + q[k] * std::log(q[k] / m));
    }
    expected.push_back(total);
  }
  const auto found = z.to(Cpu{}).to_vector();
  CHECK(found[0] == doctest::Approx(expected[0]).epsilon(1e-5));
  CHECK(found[1] == doctest::Approx(0).epsilon(1e-6));
  CHECK(divergence(x, x).shape() == Shape{2});

  // Two softmaxes, then the sum: the same softmax is not evaluated twice.
  CHECK(explain(divergence(x, y)).kernels.size() == 3);
  CHECK(explain(divergence(x, x)).kernels.size() == 2);
}

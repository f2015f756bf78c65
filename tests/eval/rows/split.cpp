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

TEST_CASE_TEMPLATE("several outputs of too many operands evaluate a part that they share before", D,
                   TEST_DEVICES) {
  const Tensor<float, D> x = linspace(-1, 1, 5 * 33, Cpu{}).reshape({5, 33}).to(D{});
  const Tensor<float, D> w = linspace(0.5, 2, 33, Cpu{}).to(D{});
  const auto t = softmax(x * x + x, axis(-1));
  const auto e = t * rsqrt(var(relu(t * w + x), axis(-1), keepdims) + 1) * w;
  const auto f = e - mean(e, axis(-1), keepdims);
  using E = std::remove_const_t<decltype(e)>;
  using F = std::remove_const_t<decltype(f)>;
  static_assert(weft::detail::part_before_outputs<E, F> == weft::detail::expression_number<E>);
  static_assert(weft::detail::part_before_outputs<E> == 0);

  const Tensor<float, D> value = e;
  const Tensor<float, D> expected = value - mean(value, axis(-1), keepdims);
  const auto [p, q] = fuse(e, f);
  CHECK(allclose(p, value));
  CHECK(allclose(q, expected, {.atol = 1e-6}));
  CHECK(explain(fuse(e, f)).opaque == 1);
  CHECK(explain(fuse(e, f)).kernel_count() == 1);

  // In place: each expression sees the targets' old values.
  Tensor<float, D> y = empty<float>({5, 33}, D{});
  Tensor<float, D> z = x.clone();
  const auto from_z = softmax(z * z + z, axis(-1));
  const auto g = from_z * rsqrt(var(relu(from_z * w + z), axis(-1), keepdims) + 1) * w;
  tie(z, y) = fuse(g, z + g * 2 + mean(g, axis(-1), keepdims));
  CHECK(allclose(z, value));
  CHECK(allclose(y, x + value * 2 + mean(value, axis(-1), keepdims), {.atol = 1e-6}));
}

TEST_CASE("several outputs of too many operands that share none") {
  const auto sum_of = [](const Tensor<double>& x) {
    const auto four = x + x * x - x / (x + 3);
    const auto more = four * x + four * four - x * 2;
    return more + four * x * x + more * more;
  };
  const Tensor<double> x = linspace<double>(-1, 1, 100);
  const Tensor<double> y = linspace<double>(0, 2, 100);
  auto [p, q] = fuse(sum_of(x), sum_of(y) + cast<double>(sum_of(y) > 1));
  const Tensor<double> of_y = sum_of(y);
  CHECK(allclose(p, Tensor<double>(sum_of(x))));
  CHECK(allclose(q, of_y + cast<double>(of_y > 1)));
}

// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/rows/large.hpp"

#include "test.hpp"

#include "weft/explain.hpp"

using namespace weft;

namespace {

/// x + 2 x + 3 x + ..., N terms of two operands each, in a row or as a tree.
template <int N, class X>
auto terms(const X& x, const X& y) {
  if constexpr (N == 1) {
    return x * y;
  } else {
    return terms<N / 2>(x, y) + terms<N - N / 2>(y, x) * 2;
  }
}
template <int N>
double sum_of_terms(double x, double y) {
  if constexpr (N == 1) {
    return x * y;
  } else {
    return sum_of_terms<N / 2>(x, y) + sum_of_terms<N - N / 2>(y, x) * 2;
  }
}

}  // namespace

TEST_CASE_TEMPLATE("statements of more operands than a kernel takes are split", D, TEST_DEVICES) {
  const Tensor<float, D> x = (arange<float>(6, D{}) * 0.5F).reshape({2, 3});
  const Tensor<float, D> y = tensor({0.25F, 1.0F, 0.5F}, D{}).expand({2, 3});
  const auto e = terms<70>(x, y);
  CHECK(detail::operand_count<std::remove_const_t<decltype(e)>> == 140);
  const Tensor<float, D> z = e;
  const auto xs = x.to(Cpu{}).to_vector();
  const auto ys = y.to(Cpu{}).to_vector();
  const auto found = z.to(Cpu{}).to_vector();
  for (std::size_t i = 0; i < 6; ++i) {
    const double expected = sum_of_terms<70>(double{xs[i]}, double{ys[i]});
    CHECK(found[i] == doctest::Approx(expected).epsilon(1e-5));
  }
  const Explanation explained = explain(e);
  CHECK(explained.kernels.size() >= 3);
  CHECK(explained.kernels.size() <= 5);
  CHECK(allclose(sum(terms<32>(x, y), axis(0)), (sum(terms<32>(x, y).eval(), axis(0))).eval()));
}

TEST_CASE_TEMPLATE("so are row programs, at a reduction where one has a good share", D,
                   TEST_DEVICES) {
  const Tensor<float, D> x = (arange<float>(6, D{}) * 0.5F).reshape({2, 3});
  const Tensor<float, D> y = tensor({0.25F, 1.0F, 0.5F}, D{}).expand({2, 3});
  const auto a = terms<20>(x, y);
  const auto b = terms<20>(y, x);
  const auto e = a / sum(a, axis(-1), keepdims) + b;
  CHECK(detail::kernel_values<std::remove_const_t<decltype(e)>> > detail::most_kernel_values);
  const Tensor<float, D> va = a;
  const Tensor<float, D> vb = b;
  CHECK(allclose(e.eval(), (va / sum(va, axis(-1), keepdims) + vb).eval()));
  // The sum, then of what is left, element by element, a part and the rest.
  CHECK(explain(e).kernels.size() == 3);
}

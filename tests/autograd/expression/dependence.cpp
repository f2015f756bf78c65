#include "weft/autograd/expression/dependence.hpp"

#include <cmath>
#include <limits>

#include "gradients.hpp"

using namespace weft;
using autograd::reaches;
using autograd::reverse_reads;

namespace {
template <int I>
using In = Arg<I, float>;
}

TEST_CASE("which operands gradients are made of") {
  using Sum = Apply<op::add, In<1>, In<2>>;
  CHECK(reverse_reads<2, Sum> == 0);
  CHECK(reverse_reads<6, Apply<op::mul, Sum, In<3>>> == 8);    // of 1 and 2: the other factor
  CHECK(reverse_reads<14, Apply<op::mul, Sum, In<3>>> == 14);  // of 3: the sum
  CHECK(reverse_reads<2, Apply<op::div, Sum, In<3>>> == 8);
  CHECK(reverse_reads<8, Apply<op::div, Sum, In<3>>> == 14);
  CHECK(reverse_reads<2, Apply<op::neg, Apply<op::exp, In<1>>>> == 2);
  CHECK(reverse_reads<4, Apply<op::where, In<1>, In<2>, In<3>>> == 2);
  CHECK(reverse_reads<2, Apply<op::round, Apply<op::exp, In<1>>>> == 0);
}

TEST_CASE("what rounds lets no gradient through") {
  CHECK_FALSE(reaches<2, Apply<op::mul, Apply<op::floor, In<1>>, In<2>>>);
  CHECK(reaches<6, Apply<op::mul, Apply<op::floor, In<1>>, In<2>>>);
}

TEST_CASE_TEMPLATE("gradients of statements whose parts need no value", D, TEST_DEVICES) {
  const Var x = parameter(test::numbers<D>({3, 4}));
  const Var b = parameter(test::numbers<D>({3}, 1));
  CHECK(gradcheck([](const auto& v, const auto& w) { return Var(sum(v * v, axis(1)) - w); }, x, b));
  CHECK(gradcheck([](const auto& v, const auto& w) { return Var(norm(v, axis(1)) * 2.0 + exp(w)); },
                  x, b));
  CHECK(gradcheck([](const auto& v) { return Var(log1p(norm(v, axis(0)))); }, x));
  x.zero_grad();
  b.zero_grad();
  const Var y = sum(round(x * 3.0), axis(1)) + b;
  y.backward(ones<double>({3}, D{}));
  CHECK(x.grad().to_vector() == std::vector<double>(12, 0.0));
  CHECK(b.grad().to_vector() == std::vector<double>(3, 1.0));
}

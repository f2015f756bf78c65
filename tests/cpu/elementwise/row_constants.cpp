// SPDX-License-Identifier: Apache-2.0
#include <weft/cpu/elementwise/row_constants.hpp>

#include "rows.hpp"
#include "weft/weft.hpp"

using namespace weft;
using cpu::detail::is_constant;
using cpu::detail::may_be_constant;
using cpu::detail::RowConstants;

namespace {
template <int I>
using X = Arg<I, float>;
template <int I>
using Exp = Apply<op::exp, X<I>>;

static_assert(may_be_constant<Apply<op::mul, X<1>, Exp<2>>>);
static_assert(RowConstants<Apply<op::mul, X<1>, Exp<2>>>::functions == 0b100);
static_assert(may_be_constant<Apply<op::mul, X<1>, Apply<op::tanh, Apply<op::sqrt, X<2>>>>>);
// Functions of several operands, with nothing beside them, or of what is beside them.
static_assert(!may_be_constant<Apply<op::mul, X<1>, Apply<op::exp, Apply<op::mul, X<2>, X<3>>>>>);
static_assert(!may_be_constant<Apply<op::mul, Exp<1>, Exp<2>>>);
static_assert(!may_be_constant<Apply<op::exp, Apply<op::mul, X<1>, Exp<2>>>>);
static_assert(!may_be_constant<Apply<op::mul, X<1>, X<2>>>);
static_assert(!may_be_constant<Apply<op::mul, X<1>, Apply<op::exp, weft::detail::Reused<float>>>>);

struct Two {
  template <int I>
  float get() const {
    return 2;
  }
};
}  // namespace

TEST_CASE("functions become numbers, where none of their operands varies along the row") {
  const Apply<op::mul, X<1>, Exp<2>> program{};
  const auto less =
      RowConstants<std::remove_const_t<decltype(program)>>::with_values(program, Two{});
  static_assert(std::is_same_v<decltype(less), const Apply<op::mul, X<1>, Constant<float>>>);
  CHECK(weft::get<1>(less.programs).value == math::exp(2.F));
  using P = Apply<op::add, Apply<op::mul, X<1>, Exp<2>>, Exp<3>>;
  const std::int64_t none[] = {1, 1, 0, 0};
  const std::int64_t one[] = {1, 1, 0, 1};
  CHECK(is_constant<P>(none, 8));
  CHECK(!is_constant<P>(one, 8));
  CHECK(!is_constant<P>(none, 7));
}

TEST_CASE_TEMPLATE("numbers in tensors, rows and columns beside rows of every length", T, float,
                   double, weft::half, bfloat16) {
  const Tolerance near{3e-2, 3e-2};
  for (const std::int64_t n : {1, 3, 7, 8, 17, 21, 64, 100, 700, 5000}) {
    for (const std::int64_t rows : {1, 2, n > 500 ? 3 : 70}) {
      INFO(rows, " rows of ", n);
      const auto x = test::noise<T>({rows, n}).on(Cpu{});
      const auto t = test::noise<T>({n, rows}, 2).on(Cpu{}).t();
      const auto column = test::noise<T>({rows, 1}, 3).on(Cpu{});
      const auto row = test::noise<T>({n}, 4).on(Cpu{});
      for (const Tensor<T>& s :
           {test::noise<T>({}, 5).on(Cpu{}), test::noise<T>({1, 1}, 6).on(Cpu{}), column, row, x}) {
        const Tensor<T> e = exp(s * T(0.25F));
        const Tensor<T> h = tanh(abs(s) * 2);
        CHECK(allclose(x * exp(s * T(0.25F)), x * e, near));
        CHECK(allclose(t * exp(s * T(0.25F)) + x, t * e + x, near));
        CHECK(allclose(x * tanh(abs(s) * 2) + exp(column), x * h + exp(column).eval(), near));
        CHECK(allclose(sum(x * exp(s * T(0.25F)), axis(-1)), sum((x * e).eval(), axis(-1)),
                       {3e-2, 1}));
        CHECK(
            allclose(sum(x * exp(s * T(0.25F)), axis(0)), sum((x * e).eval(), axis(0)), {3e-2, 1}));
        CHECK(allclose(softmax(x * exp(s * T(0.25F)), axis(-1)), softmax((x * e).eval(), axis(-1)),
                       near));
        CHECK(allclose(softmax(x * exp(s * T(0.25F)), axis(0)), softmax((x * e).eval(), axis(0)),
                       near));
        CHECK(allclose(x * exp(s * T(0.25F)) - mean(x, axis(-1), keepdims),
                       x * e - mean(x, axis(-1), keepdims), near));
      }
    }
  }
}

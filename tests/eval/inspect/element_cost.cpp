// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/element_cost.hpp>

#include "test.hpp"
#include "weft/eval/let.hpp"
#include "weft/weft.hpp"

using namespace weft;

namespace {
template <int I, class T = float>
using X = Arg<I, T>;
template <class P, class Q>
using Add = Apply<op::add, P, Q>;
template <class P, class Q>
using Mul = Apply<op::mul, P, Q>;
template <class P>
using Exp = Apply<op::exp, P>;
template <class P>
constexpr double slots = element_cost<P>.slots;
}  // namespace

TEST_CASE("an element costs what its operations do") {
  static_assert(slots<X<1>> == 0);
  static_assert(slots<Add<X<1>, Mul<X<2>, X<3>>>> == 2);
  static_assert(slots<Exp<X<1>>> == op_cost<op::exp>.slots);
  static_assert(element_cost<Exp<X<1>>>.special == 1);
  static_assert(element_cost<Exp<X<1>>>.wide == 0);
  static_assert(slots<Exp<X<1, double>>> == op_cost<op::exp>.double_slots);
  static_assert(element_cost<Exp<X<1, double>>>.wide == op_cost<op::exp>.wide);
  static_assert(element_cost<Exp<X<1, double>>>.special == 0);
}

TEST_CASE("small elements are converted; pairs of words and complex numbers cost more") {
  static_assert(slots<Add<X<1, weft::half>, X<2, weft::half>>> == 3);
  static_assert(slots<Add<X<1, std::int64_t>, X<2, std::int64_t>>> == 2);
  static_assert(slots<Mul<X<1, complex<float>>, X<2, complex<float>>>> == 4);
}

TEST_CASE("what reads no operand is computed once, equal dear parts too") {
  static_assert(slots<Mul<X<1>, Exp<Constant<float>>>> == 1);
  static_assert(slots<Mul<Exp<X<1>>, Exp<X<2>>>> == 1 + slots<Exp<X<1>>>);
  static_assert(slots<Mul<Exp<X<1>>, Apply<op::log, X<2>>>> ==
                1 + slots<Exp<X<1>>> + op_cost<op::log>.slots);
  static_assert(slots<Apply<op::div, X<1>, Exp<Constant<float>>>> == 3);
  static_assert(slots<Apply<op::div, X<1>, X<2>>> == 10);
  static_assert(slots<Pack<Exp<X<1>>, Add<X<1>, X<2>>>> == 1 + slots<Exp<X<1>>>);
}

TEST_CASE("a formula costs what its program does") {
  const auto x = ones({4});
  const auto e = let(x + 1, [](auto t) { return t * sigmoid(t); });
  detail::Operand operands[3];
  [[maybe_unused]] const auto program =
      detail::Lowering<std::remove_const_t<decltype(e)>>::template lower<1>(e, operands);
  static_assert(slots<std::remove_const_t<decltype(program)>> == 2 + op_cost<op::sigmoid>.slots);
}

TEST_CASE("a value is added to a state of several words in several instructions") {
  static_assert(add_cost<float>.slots == 1);
  struct Three {
    float x[3];
  };
  static_assert(add_cost<Three>.slots == 9);
  static_assert(add_cost<double[4]>.slots == 16);
}

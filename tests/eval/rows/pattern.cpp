// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/rows/pattern.hpp"

#include "test.hpp"

using namespace weft;
using namespace weft::detail;

namespace {

template <int I>
using X = Arg<I, float>;
template <class P>
using Exp = Apply<op::exp, P>;
template <class P, class Q>
using Mul = Apply<op::mul, P, Q>;
// exp(a) * exp(b) * exp(c)
using Three = Mul<Mul<Exp<X<1>>, Exp<X<2>>>, Exp<X<3>>>;
template <class P, int Least>
using Patterns = SharedPatterns<RowProgram<Pack<>, Pack<P>>, Least>;

}  // namespace

TEST_CASE("patterns are the same whatever the operands are, and others where an operation is") {
  static_assert(pattern_number<Exp<X<1>>> == pattern_number<Exp<X<7>>>);
  static_assert(pattern_number<Exp<X<1>>> != pattern_number<Apply<op::log, X<1>>>);
  static_assert(pattern_number<Exp<X<1>>> != pattern_number<Exp<Arg<1, weft::half>>>);
  static_assert(Patterns<Three, 8>::table.count == 1);
  static_assert(Patterns<Three, 100>::table.count == 0);
  static_assert(shared_pattern<Patterns<Three, 8>, Exp<X<5>>> == 0);
  static_assert(shared_pattern<Patterns<Three, 8>, Three> == -1);
  CHECK(Patterns<Three, 8>::table.slots == 1);
}

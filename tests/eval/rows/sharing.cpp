// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/rows/sharing.hpp"

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

struct Numbers {
  int number_of[4];
  int operand(int i) const { return number_of[i]; }
  int number(int r) const { return r; }
};

}  // namespace

TEST_CASE("what has the value of what came before is not computed again") {
  const Three program{};
  using Shared = Patterns<Three, 8>;
  const auto hits = [&](Numbers numbers) {
    ShareValues<Shared, Numbers> sharing(numbers);
    sharing.run(program);
    return sharing.values().hit[0];
  };
  CHECK(hits({{0, 1, 2, 3}}) == 0);
  CHECK(hits({{0, 1, 1, 1}}) == 0b1100);
  CHECK(hits({{0, 1, 2, 2}}) == 0b1000);
  CHECK(hits({{0, 1, 2, 1}}) == 0);  // one value is kept, the last
  const Numbers numbers{{0, 1, 1, 3}};
  ShareValues<Shared, Numbers> sharing(numbers);
  sharing.run(program);
  CHECK(sharing.needed() == 0b1010);
}

TEST_CASE("numbers in operations tell values apart") {
  const auto twice = [](float a, float b) {
    using P = Mul<Exp<Mul<X<1>, Constant<float>>>, Exp<Mul<X<2>, Constant<float>>>>;
    const P program{{},
                    {{{}, {{{}, {{}, {{a}, {}}}}, {}}}, {{{}, {{{}, {{}, {{b}, {}}}}, {}}}, {}}}};
    const Numbers numbers{{0, 1, 1, 3}};
    ShareValues<Patterns<P, 8>, Numbers> sharing(numbers);
    sharing.run(program);
    return sharing.values().hit[0];
  };
  CHECK(twice(2, 2) != 0);
  CHECK(twice(2, 3) == 0);
}

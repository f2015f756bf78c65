// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/reuse.hpp>

#include "test.hpp"

using namespace weft;
using weft::detail::Reuse;
using weft::detail::Reused;
using weft::detail::SameValue;

namespace {
template <int I>
using X = Arg<I, float>;
using Exp = Apply<op::exp, Apply<op::sub, X<1>, Reduced<0, float>>>;
using Again = Apply<op::exp, Apply<op::sub, X<2>, Reduced<0, float>>>;
using Max = RowReduction<reducer::max, X<3>, float>;
using Sum = RowReduction<reducer::sum, Exp, float>;
using Softmax = RowProgram<Pack<Max, Sum>, Pack<Apply<op::div, Again, Reduced<1, float>>>>;

static_assert(Reuse<Softmax>::possible);
static_assert(Reuse<Softmax>::last == 1);
static_assert(Reuse<Softmax>::beside == 0);
static_assert(std::is_same_v<decltype(weft::detail::with_leaf<Reused, Reuse<Softmax>::number>(
                                 weft::get<0>(std::declval<Softmax&>().outputs))),
                             Apply<op::div, Reused<float>, Reduced<1, float>>>);

using Center = RowProgram<Pack<RowReduction<reducer::mean, X<1>, float>>,
                          Pack<Apply<op::sub, X<1>, Reduced<0, float>>>>;
static_assert(!Reuse<Center>::possible);  // an operand is not worth keeping

/// Operands 1 and 2 are the same, and the reductions are all different.
struct Row {
  bool same_operand(int i, int j) const { return i == j || i + j == 3; }
  int number(int r) const { return r; }
};
}  // namespace

TEST_CASE("one pattern has one value only with the same operands, numbers and reductions") {
  const Row row;
  const SameValue<Row> same(row);
  CHECK(same(Exp{}, Again{}));
  CHECK(!same(Exp{}, Apply<op::exp, Apply<op::sub, X<5>, Reduced<0, float>>>{}));
  CHECK(!same(Exp{}, Apply<op::exp, Apply<op::sub, X<1>, Reduced<1, float>>>{}));
  CHECK(same(Constant<float>{2}, Constant<float>{2}));
  CHECK(!same(Constant<float>{2}, Constant<float>{3}));
  const Softmax softmax{};
  CHECK(Reuse<Softmax>::same(&softmax, row));
}

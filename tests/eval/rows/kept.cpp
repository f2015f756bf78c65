// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/rows/kept.hpp>

#include "test.hpp"

using namespace weft;
using weft::detail::Kept;
using weft::detail::KeptPart;

namespace {
template <int I>
using X = Arg<I, float>;
template <int I, int J>
using Product = Apply<op::mul, X<I>, X<J>>;
template <int I, int J, int R>
using Distance = Apply<op::sub, Product<I, J>, Reduced<R, float>>;
/// x * y - mean(x * y) over its deviation: operands 1 to 6 are x and y in turn.
using Mean = RowReduction<reducer::mean, Product<3, 4>, float>;
using Variance = RowReduction<reducer::mean, Apply<op::square, Distance<5, 6, 0>>, float>;
using Norm =
    RowProgram<Pack<Mean, Variance>, Pack<Apply<op::mul, Distance<1, 2, 0>, Reduced<1, float>>>>;

static_assert(KeptPart<Norm>::possible);
static_assert(KeptPart<Norm>::first == 0);
using Less = decltype(KeptPart<Norm>::without(std::declval<const Norm&>()));
using KeptDistance = Apply<op::sub, Kept<float>, Reduced<0, float>>;
static_assert(
    std::is_same_v<decltype(Less::outputs), Pack<Apply<op::mul, KeptDistance, Reduced<1, float>>>>);

/// One operand and light operations: read again rather than kept.
using Light = Apply<op::neg, X<1>>;
static_assert(!KeptPart<RowProgram<Pack<RowReduction<reducer::max, Light, float>>,
                                   Pack<Apply<op::sub, Light, Reduced<0, float>>>>>::possible);
/// Read once: nothing to gain.
static_assert(!KeptPart<RowProgram<Pack<RowReduction<reducer::sum, Product<1, 2>, float>>,
                                   Pack<Reduced<0, float>>>>::possible);

/// Odd operands are one, even ones another; reduction `left_out` is not computed.
struct Row {
  int other = -1;  // an operand that is not the same as those of its kind
  int left_out = -1;
  bool same_operand(int i, int j) const { return i % 2 == j % 2 && i != other && j != other; }
  bool computes(int r) const { return r != left_out; }
  int number(int r) const { return r; }
};
}  // namespace

TEST_CASE("a part is computed once only where it has one value") {
  const Norm norm{};
  CHECK(KeptPart<Norm>::same(&norm, Row{}));
  CHECK(!KeptPart<Norm>::same(&norm, Row{2}));
  CHECK(!KeptPart<Norm>::same(&norm, Row{6}));
  CHECK(KeptPart<Norm>::same(&norm, Row{6, 1}));  // a reduction that is not computed reads nothing
  CHECK(!KeptPart<Norm>::same(&norm, Row{-1, 0}));  // the part is read as the first one does
}

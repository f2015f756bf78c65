// SPDX-License-Identifier: Apache-2.0
#include "weft/eval/rows/online.hpp"

#include <cmath>
#include <limits>

#include "test.hpp"

namespace {

using weft::Apply;
using weft::Arg;
using weft::Pack;
using weft::Reduced;
using weft::RowProgram;
using weft::RowReduction;
using weft::detail::RowLevels;
using weft::detail::RowPass;

using X = Arg<1, float>;
using Shifted = Apply<weft::op::sub, X, Reduced<0, float>>;
using Max = RowReduction<weft::reducer::max, X, float>;
using Mean = RowReduction<weft::reducer::mean, X, float>;
using SumExp = RowReduction<weft::reducer::sum, Apply<weft::op::exp, Shifted>, float>;
using Spread = RowReduction<weft::reducer::mean, Apply<weft::op::square, Shifted>, float>;
using Plain = RowReduction<weft::reducer::sum, Shifted, float>;

/// What a pass makes of some values, `first` the reduction that it is brought to.
template <class Reduction, int N>
float passed(const float (&x)[N], float first) {
  const Reduction r{};
  const auto reducer = RowPass<Reduction>::reducer(r);
  typename RowPass<Reduction>::State state{};
  for (int i = 0; i < N; ++i) reducer.add(state, x[i], i);
  return RowPass<Reduction>::finish(r, state, N, Pack<float>{first, {}});
}

}  // namespace

TEST_CASE("what another reduction is subtracted from may share its pass") {
  const auto count = [](auto* program) {
    return RowLevels<std::remove_pointer_t<decltype(program)>>::levels.count;
  };
  CHECK(count(static_cast<RowProgram<Pack<Max, SumExp>, Pack<>>*>(nullptr)) == 1);
  CHECK(count(static_cast<RowProgram<Pack<Mean, Spread>, Pack<>>*>(nullptr)) == 1);
  CHECK(count(static_cast<RowProgram<Pack<Mean, Plain>, Pack<>>*>(nullptr)) == 2);
}

TEST_CASE("exponentials and squares are brought to the reduction, whatever that is") {
  const float x[] = {0.5F, -3, 2, 2, 1.25F};
  double sum = 0;
  double squares = 0;
  for (const float m : {2.F, 0.F, 7.F}) {
    sum = squares = 0;
    for (float v : x) {
      sum += std::exp(static_cast<double>(v) - m);
      squares += (static_cast<double>(v) - m) * (v - m);
    }
    CHECK(passed<SumExp>(x, m) == doctest::Approx(sum).epsilon(1e-6));
    CHECK(passed<Spread>(x, m) == doctest::Approx(squares / 5).epsilon(1e-6));
  }
}

TEST_CASE("infinities and NaN are what they are in two passes") {
  const float inf = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float low[] = {-inf, -inf};
  CHECK(std::isnan(passed<SumExp>(low, -inf)));
  CHECK(passed<SumExp>(low, 0) == 0);
  const float one[] = {-inf, 3};
  CHECK(passed<SumExp>(one, 3) == 1);
  const float high[] = {inf, 3};
  CHECK(std::isnan(passed<SumExp>(high, inf)));
  CHECK(passed<SumExp>(high, 3) == inf);
  const float bad[] = {nan, 3};
  CHECK(std::isnan(passed<SumExp>(bad, nan)));
  CHECK(std::isnan(passed<Spread>(bad, nan)));
}

TEST_CASE("what can be merged among rows, and reduced again") {
  using Var = RowReduction<weft::reducer::var, Shifted, float>;
  using Place = RowReduction<weft::reducer::argmax, Shifted, std::int64_t>;
  using Count = RowReduction<weft::reducer::sum, Apply<weft::op::cast<int>, X>, int>;
  using Merges = weft::detail::RowMerges<
      RowProgram<Pack<Mean, Plain, Spread, Var, Place, SumExp, Count>, Pack<Reduced<1, float>>>>;
  CHECK(Merges::bits == 0b1001011);
  CHECK(Merges::joins == 0b0000011);
}

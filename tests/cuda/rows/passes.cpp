// SPDX-License-Identifier: Apache-2.0
#include "weft/cuda/rows/passes.hpp"

#include "test.hpp"

namespace {

using weft::Apply;
using weft::Arg;
using weft::Pack;
using weft::Reduced;
using weft::RowProgram;
using weft::RowReduction;
using weft::cuda::detail::InLevel;
using weft::cuda::detail::RowPasses;

using X = Arg<1, float>;
using Shifted = Apply<weft::op::sub, X, Reduced<0, float>>;
using Max = RowReduction<weft::reducer::max, X, float>;
using SumExp = RowReduction<weft::reducer::sum, Apply<weft::op::exp, Shifted>, float>;
using Argmax = RowReduction<weft::reducer::argmax, X, std::int64_t>;
using Plain = RowReduction<weft::reducer::sum, Shifted, float>;
using Program = RowProgram<Pack<Max, SumExp, Argmax, Plain>, Pack<>>;

}  // namespace

TEST_CASE("states of one pass lie behind each other, aligned as they are") {
  constexpr auto places = RowPasses<Program>::places;
  CHECK(places.before[0] == 0);
  CHECK(places.before[1] == 8);
  CHECK(places.before[2] == 16);
  CHECK(places.all[0] == 32);
  CHECK(places.before[3] == 0);  // of the next pass
  CHECK(places.all[1] == 4);
  CHECK(places.most == 32);
}

TEST_CASE("the reductions of each level, in order") {
  CHECK(std::is_same_v<InLevel<Program, 0>::type, std::index_sequence<0, 1, 2>>);
  CHECK(std::is_same_v<InLevel<Program, 1>::type, std::index_sequence<3>>);
}

// SPDX-License-Identifier: Apache-2.0
#include <weft/eval/inspect/op_cost.hpp>

#include "test.hpp"

using namespace weft;

namespace {
template <class Op>
constexpr bool agrees = (detail::op_weight<Op> == 1) == (op_cost<Op>.slots <= 2);
template <class>
constexpr bool all_agree = false;
template <class... Ops>
constexpr bool all_agree<detail::LightOps<Ops...>> = (agrees<Ops> && ...);
}  // namespace

TEST_CASE("the planners' weights are the costs, rounded") {
  static_assert(all_agree<detail::Light>);
  static_assert(agrees<op::cast<float>>);
  static_assert(agrees<op::div> && agrees<op::sqrt> && agrees<op::rsqrt> && agrees<op::exp> &&
                agrees<op::log> && agrees<op::tanh> && agrees<op::pow> && agrees<op::gelu> &&
                agrees<op::sigmoid> && agrees<op::atan2> && agrees<op::erf>);
}

TEST_CASE("what has no figures of its own is moderately expensive") {
  struct unknown {};
  static_assert(op_cost<unknown>.slots == 16);
  static_assert(op_cost<op::exp>.special == 1);
  static_assert(op_cost<op::exp>.double_slots > 4 * op_cost<op::exp>.slots);
}

// Effects: what operations do beside giving a value, as bits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace weft {

/// What operations do besides giving a value, as bits.
struct Effects {
  static constexpr unsigned draws = 1;   // random numbers, whose counter is looked up first
  static constexpr unsigned acts = 2;    // reports bad indices, or writes
  static constexpr unsigned places = 4;  // reads operands at computed places
  static constexpr unsigned calls = 8;   // calls a function of the user's
  static constexpr unsigned any = 15;

  template <class Op>
  static constexpr unsigned of() {
    unsigned found = 0;
    if constexpr (requires(Op op) { op.draw.resolve(); }) found |= draws;
    if constexpr (requires { requires Op::has_effects; }) found |= acts;
    if constexpr (requires { requires Op::finds_places; }) found |= places;
    if constexpr (requires { requires Op::calls_user; }) found |= calls;
    return found;
  }
};

}  // namespace weft

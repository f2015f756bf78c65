// Joint programs: one program that gives the values of several targets, each wanted or not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program.hpp"

namespace weft {

/// Which targets of a joint program are written, as bits, and which of these by adding to what is
/// there. One that is not written has an address and strides of one that is.
struct Stores {
  unsigned wanted = 0;
  unsigned adds = 0;
  WEFT_HD Stores next() const { return {wanted >> 1, adds >> 1}; }
};

/// A program whose call gives a Pack with a value for each target, of the types that `values` lists.
template <class P>
concept JointProgram = requires(const P& program) {
  typename P::values;
  requires std::is_same_v<std::remove_cvref_t<decltype(program.stores)>, Stores>;
};

}  // namespace weft

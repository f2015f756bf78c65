// Run-time switches that are read from the environment once: WEFT_CHECK and WEFT_SYNC.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>

#include "weft/core/config.hpp"

namespace weft::detail {

inline bool environment_flag(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && value[0] != '\0' && !(value[0] == '0' && value[1] == '\0');
}

inline bool& check_flag() {
  static bool flag = environment_flag("WEFT_CHECK");
  return flag;
}
inline bool& sync_flag() {
  static bool flag = environment_flag("WEFT_SYNC");
  return flag;
}

/// WEFT_CHECK=1: evaluating an expression whose operand was written since it was built throws.
inline bool check_requested() { return check_flag(); }

/// WEFT_SYNC=1: waits for every kernel, so that a failure names the expression and its shapes.
inline bool sync_requested() { return sync_flag(); }

}  // namespace weft::detail

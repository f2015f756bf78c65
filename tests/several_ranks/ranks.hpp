// What the tests of several ranks share: the group of all of them, on each test's device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <test.hpp>

#include "weft/dist.hpp"

namespace test {
/// Made once, in main().
inline weft::dist::Group*& world() {
  static weft::dist::Group* group = nullptr;
  return group;
}
}  // namespace test

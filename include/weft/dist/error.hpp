// DistributedError: thrown by collectives if ranks disagree, are missing or cannot be reached.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/error.hpp"

namespace weft {

/// A process of a group that is missing, hangs, calls something else, or cannot be reached.
class DistributedError : public Error {
 public:
  using Error::Error;
};

}  // namespace weft

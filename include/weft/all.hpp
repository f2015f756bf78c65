// Everything that is installed, but for opt-in headers of rare use
// (cuda/scatter_deterministic.hpp). SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda.hpp"
#include "weft/cuda/reduce.hpp"

// What the examples share, and all of weft for CUDA; program.hpp alone compiles much faster.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifdef __CUDACC__
#include <weft/all.hpp>
#endif

#include "program.hpp"

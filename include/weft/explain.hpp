// explain(e) and profile(e): what an expression becomes on its device, and how fast it runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"

#include "weft/cpu/inspect/explain.hpp"  // explain(e)
#include "weft/cpu/inspect/profile.hpp"  // profile(e), profile(f)

#if defined(__CUDACC__)
#include "weft/cuda/inspect/explain.hpp"
#include "weft/cuda/inspect/profile.hpp"
#include "weft/cuda/inspect/utilization.hpp"  // cuda::utilization()
#endif

// The compiled part of weft for big projects with CUDA; weft/cuda/lib.hpp lists what it holds.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD
#include <weft/cuda.hpp>

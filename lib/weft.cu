// The compiled part of weft for big projects with CUDA, of which weft/cuda/lib.hpp says what it holds.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB_BUILD
#include <weft/cuda.hpp>

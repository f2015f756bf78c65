// The compiled part of weft for networks; weft/nn/lib.hpp and weft/optim/lib.hpp list what it holds.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB
#define WEFT_LIB_BUILD_NN
#include <weft/nn.hpp>
#include <weft/optim.hpp>

#include <weft/nn/lib.hpp>
#include <weft/optim/lib.hpp>

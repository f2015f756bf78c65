// The compiled part of weft for networks; lib.hpp in weft/nn, weft/optim and weft/io lists it.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB
#define WEFT_LIB_BUILD_NN
#include <weft/io.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>

#include <weft/io/lib.hpp>
#include <weft/nn/lib.hpp>
#include <weft/optim/lib.hpp>

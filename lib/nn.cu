// The compiled part of weft for networks on CUDA; lib.hpp in weft/nn and weft/optim lists it.
// SPDX-License-Identifier: Apache-2.0
#define WEFT_LIB
#define WEFT_LIB_CUDA
#define WEFT_LIB_BUILD_NN
#include <weft/cuda.hpp>
#include <weft/cuda/conv.hpp>
#include <weft/cuda/gradient.hpp>
#include <weft/nn.hpp>
#include <weft/optim.hpp>

#include <weft/nn/lib.hpp>
#include <weft/optim/lib.hpp>

// What weft::lib and weft::lib_cuda hold compiled of optimizers: the common rules for floats.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/optim/adam.hpp"
#include "weft/optim/sgd.hpp"

#if defined(WEFT_LIB_BUILD_NN)
#define WEFT_LIB_HOLDS template
#else
#define WEFT_LIB_HOLDS extern template
#endif

namespace weft::optim {

#define WEFT_LIB_RULE(D, ...)                         \
  WEFT_LIB_HOLDS struct Group<__VA_ARGS__, float, D>; \
  WEFT_LIB_HOLDS class Optimizer<__VA_ARGS__, float, D>;
#define WEFT_LIB_RULES(D)                        \
  WEFT_LIB_RULE(D, AdamRule<AdamOptions, false>) \
  WEFT_LIB_RULE(D, AdamRule<AdamWOptions, true>) \
  WEFT_LIB_RULE(D, SGDRule)

#if !defined(WEFT_LIB_BUILD_NN) || !defined(WEFT_LIB_CUDA)  // lib/nn.cpp has these
WEFT_LIB_RULES(Cpu)
#endif
#if defined(WEFT_LIB_CUDA)
WEFT_LIB_RULES(Cuda)
#endif

}  // namespace weft::optim

#undef WEFT_LIB_RULES
#undef WEFT_LIB_RULE
#undef WEFT_LIB_HOLDS

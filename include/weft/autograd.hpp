// weft's gradients: Var, parameter, backward. With Cuda include weft/cuda/reduce.hpp too.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/weft.hpp"
#include "weft/cpu/gradient.hpp"     // the loops of backward passes

#include "weft/autograd/var.hpp"  // Var<T, D>, parameter, backward, NoGrad

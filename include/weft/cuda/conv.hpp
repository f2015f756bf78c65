// Convolutions on CUDA: by cuDNN where weft::cudnn is linked, by matrix products, depthwise
// kernels. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/cudnn.hpp"
#include "weft/cuda/conv/depthwise.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/window.hpp"

// Convolutions on CUDA: cuDNN's with weft::cudnn, else matrix products, and own depthwise kernels;
// and the sums of batch norm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/batch_norm.hpp"
#include "weft/cuda/conv/cudnn.hpp"
#include "weft/cuda/conv/depthwise.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/window.hpp"

// Convolutions on CUDA: by cuDNN or products, with depthwise kernels, and batch norm's sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/batch_norm.hpp"
#include "weft/cuda/conv/cudnn.hpp"
#include "weft/cuda/conv/depthwise.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/window.hpp"
#include "weft/ops/conv/conv.hpp"
#include "weft/ops/conv/fold.hpp"

// Convolutions on CUDA: cuDNN's where a program is built with weft::cudnn, else matrix products, and
// weft's own kernels for depthwise ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/conv/cudnn.hpp"
#include "weft/cuda/conv/depthwise.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/window.hpp"

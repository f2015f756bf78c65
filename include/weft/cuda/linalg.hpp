// Linear algebra on CUDA; link weft::cusolver, or matrices of more than 16 rows go to the CPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/copy.hpp"
#include "weft/cuda/linalg/solver.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"

// Sparse matrices on CUDA; linked to weft::cusparse, products of uneven rows are cuSPARSE's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/algorithms.hpp"
#include "weft/cuda/elementwise/scatter.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/cuda/sparse/loops.hpp"

// Everything that is installed but cuda/scatter_deterministic.hpp, which is slow to compile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/arrays.hpp"
#include "weft/autograd.hpp"
#include "weft/autograd/explain.hpp"
#include "weft/cuda.hpp"
#include "weft/cuda/algorithms.hpp"
#include "weft/cuda/attention.hpp"
#include "weft/cuda/conv.hpp"
#include "weft/cuda/gradient.hpp"
#include "weft/cuda/linalg.hpp"
#include "weft/cuda/matmul.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/explain.hpp"
#include "weft/fft.hpp"
#include "weft/io.hpp"
#include "weft/linalg.hpp"
#include "weft/random.hpp"
#include "weft/small.hpp"
#include "weft/special.hpp"
#include "weft/statistics.hpp"

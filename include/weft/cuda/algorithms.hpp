// CUDA's scans, sorting, selection and counting: what is built on CUB beside the reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/histogram.hpp"
#include "weft/cuda/scan.hpp"
#include "weft/cuda/select.hpp"
#include "weft/cuda/sort.hpp"

// Scans, sorting, selection and counting on CUDA: what is built on CUB besides reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/histogram.hpp"
#include "weft/cuda/order/select.hpp"
#include "weft/cuda/order/sort.hpp"
#include "weft/cuda/scan/scan.hpp"

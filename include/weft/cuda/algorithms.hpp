// Scans, sorting, selection and counting on CUDA, which like reductions are built on CUB.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/histogram.hpp"
#include "weft/cuda/order/select.hpp"
#include "weft/cuda/order/sort.hpp"
#include "weft/cuda/scan/scan.hpp"

// Statistics, order and sets: quantile, median, nanmean, cov, mode, histogramdd, unique, isin, ...
// SPDX-License-Identifier: Apache-2.0
#pragma once

// clang-format off
#include "weft/weft.hpp"

#include "weft/ops/statistics/counting.hpp"    // bincount with weights, histogramdd, packbits
#include "weft/ops/statistics/differences.hpp" // diff, gradient, trapezoid, unwrap, interp
#include "weft/ops/statistics/moments.hpp"     // var_mean, ptp, average, cov
#include "weft/ops/statistics/nan.hpp"         // nansum, nanmean, nanmax, ...
#include "weft/ops/statistics/order.hpp"       // lexsort, partition, digitize
#include "weft/ops/statistics/quantile.hpp"    // quantile, median, kthvalue, mode
#include "weft/ops/statistics/sets.hpp"        // unique along axes, isin, union1d, ...
// clang-format on

// machine_of(device): a GPU's figures for the model of explain(), from its properties and a file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/device.hpp"
#include "weft/eval/inspect/calibration.hpp"

namespace weft::on_cuda {

namespace detail {

/// What a GPU of these properties is taken for; `clock_khz` and `precision_ratio` (the rate of
/// float over that of double) are attributes of the device.
inline Machine machine_of(const Properties& gpu, int clock_khz, int precision_ratio) {
  constexpr double bytes_a_cycle = 24;  // of L2, for each multiprocessor
  Machine out;
  out.bandwidth = gpu.bandwidth;
  out.cache_bytes = static_cast<double>(gpu.l2_bytes);
  out.multiprocessors = gpu.multiprocessors;
  if (clock_khz > 0) out.clock = 1e3 * clock_khz;
  out.cache_bandwidth = bytes_a_cycle * out.multiprocessors * out.clock;
  if (precision_ratio > 0) out.wide_rate = 128.0 / precision_ratio;
  return out;
}

}  // namespace detail

/// A GPU's figures for the cost model: from its properties, replaced by those in the file that
/// WEFT_CALIBRATION names.
WEFT_ONCE inline Machine machine_of(Cuda device = {}) {
  const int ordinal = resolve(device);
  Machine out =
      detail::machine_of(properties(device), detail::attribute(cudaDevAttrClockRate, ordinal),
                         detail::attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio, ordinal));
  calibrate(out);
  return out;
}

}  // namespace weft::on_cuda

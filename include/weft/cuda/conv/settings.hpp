// How cuDNN's convolution algorithms are chosen: by measurement or not, and in how much memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "weft/cuda/linalg/cudnn_use.hpp"

namespace weft::on_cuda {

namespace detail {
[[gnu::visibility("default")]] inline int measures_convolutions = 0;
[[gnu::visibility("default")]] inline int64_t convolution_workspace = 0;
}  // namespace detail

/// Whether the first convolution of each shape tries all algorithms and takes the fastest; else
/// cuDNN's estimate decides. Off unless set.
inline bool measure_convolutions() {
  return __atomic_load_n(&detail::measures_convolutions, __ATOMIC_RELAXED) != 0;
}
/// Sets it, in all threads; PyTorch's torch.backends.cudnn.benchmark. Shapes seen before keep what
/// was found for them.
inline void set_measure_convolutions(bool measure) {
  __atomic_store_n(&detail::measures_convolutions, measure ? 1 : 0, __ATOMIC_RELAXED);
}

/// The most bytes that cuDNN may work in during one convolution; 0, unless set, for four times the
/// bytes of its images, filters and results.
inline int64_t convolution_workspace_limit() {
  return __atomic_load_n(&detail::convolution_workspace, __ATOMIC_RELAXED);
}
/// Sets it, in all threads. Algorithms that need more are left out, and where none is left, the
/// convolution is a matrix product. Shapes seen before keep what was found for them.
inline void set_convolution_workspace_limit(int64_t bytes) {
  __atomic_store_n(&detail::convolution_workspace, bytes, __ATOMIC_RELAXED);
}

}  // namespace weft::on_cuda

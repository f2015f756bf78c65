// Whether cuDNN's convolution algorithms are measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/linalg/cudnn_use.hpp"

namespace weft::on_cuda {

namespace detail {
[[gnu::visibility("default")]] inline int measures_convolutions = 0;
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

}  // namespace weft::on_cuda

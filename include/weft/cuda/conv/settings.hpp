// Whether convolutions on CUDA are cuDNN's, and whether its algorithms are measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

namespace weft::on_cuda {

namespace detail {
[[gnu::visibility("default")]] inline int measures_convolutions = 0;
[[gnu::visibility("default")]] inline int uses_cudnn = 1;
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

/// Whether cuDNN computes convolutions where a program is built with weft::cudnn. On unless set;
/// without it they are matrix products.
inline bool use_cudnn() { return __atomic_load_n(&detail::uses_cudnn, __ATOMIC_RELAXED) != 0; }
/// Sets it, in all threads; PyTorch's torch.backends.cudnn.enabled.
inline void set_use_cudnn(bool use) {
  __atomic_store_n(&detail::uses_cudnn, use ? 1 : 0, __ATOMIC_RELAXED);
}

}  // namespace weft::on_cuda

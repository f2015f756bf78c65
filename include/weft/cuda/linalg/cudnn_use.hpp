// Whether cuDNN is used where a program is built with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/config.hpp"

namespace weft::on_cuda {

namespace detail {
[[gnu::visibility("default")]] inline int uses_cudnn = 1;
}  // namespace detail

/// Whether cuDNN computes convolutions, attention and recurrent layers where a program is built
/// with weft::cudnn. On unless set; without it these are matrix products and weft's own kernels.
inline bool use_cudnn() { return __atomic_load_n(&detail::uses_cudnn, __ATOMIC_RELAXED) != 0; }
/// Sets it, in all threads; PyTorch's torch.backends.cudnn.enabled.
inline void set_use_cudnn(bool use) {
  __atomic_store_n(&detail::uses_cudnn, use ? 1 : 0, __ATOMIC_RELAXED);
}

}  // namespace weft::on_cuda

// CUDA's compaction on cub::DeviceSelect.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/order/radix_key.hpp"
#include "weft/cuda/primitive/cub.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/ops/order/select.hpp"

#if defined(__CUDACC__)
#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>
#endif

namespace weft {

template <>
struct Selector<Cuda> {
  /// out = the elements of x where the mask holds.
  template <class T, class D>
  static void select([[maybe_unused]] const Tensor<T, D>& x,
                     [[maybe_unused]] const Tensor<bool, D>& mask,
                     [[maybe_unused]] const Tensor<T, D>& out) {
#if defined(__CUDACC__)
    // Elements of one size are moved by one kernel.
    if constexpr (sizeof(T) <= 8) {
      using Word = on_cuda::radix_key_t<T>;
      flagged(x, reinterpret_cast<const Word*>(x.data()), mask,
              reinterpret_cast<Word*>(out.data()));
    } else {
      flagged(x, x.data(), mask, out.data());
    }
#else
    static_assert(detail::always_false<T>,
                  "weft: a selection on Cuda is run in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

  /// out = the positions where the mask holds.
  template <class D>
  static void positions([[maybe_unused]] const Tensor<bool, D>& mask,
                        [[maybe_unused]] const Tensor<int64_t, D>& out) {
#if defined(__CUDACC__)
    flagged(mask, thrust::counting_iterator<int64_t>(0), mask, out.data());
#else
    static_assert(detail::always_false<D>,
                  "weft: a selection on Cuda is run in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  template <class X, class In, class D, class Out>
  static void flagged(const X& x, In in, const Tensor<bool, D>& mask, Out* out) {
    if (mask.size() > INT32_MAX) {
      fail<ShapeError>("select", mask.size(), " elements on Cuda, expected below 2^31");
    }
    const Cuda device{mask.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::order_read(x.storage(), stream);
    on_cuda::order_read(mask.storage(), stream);
    const StorageHandle count(Memory<Cuda>::allocate(device, sizeof(int)));
    on_cuda::run_cub("select", device, [&](void* room, std::size_t& bytes, cudaStream_t s) {
      return cub::DeviceSelect::Flagged(room, bytes, in, mask.data(), out,
                                        static_cast<int*>(count->data),
                                        static_cast<int>(mask.size()), s);
    });
  }
#endif
};

WEFT_MODEL(SelectingDevice<Cuda>);

}  // namespace weft

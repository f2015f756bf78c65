// layer_norm's and rms_norm's gradients on CUDA: rows in registers, and sums over all rows beside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/gradient/norm_kernel.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/eval/rows/norm.hpp"

namespace weft {

template <>
struct NormExecutor<Cuda> {
  /// Rows that a block's registers hold.
  template <class T>
  static bool serves(const Tensor<T, Cuda>& x, const Tensor<T, Cuda>& gradient,
                     const Tensor<T, Cuda>& weight) {
    constexpr int64_t most = int64_t{on_cuda::norm_threads} * on_cuda::norm_elements<compute_t<T>>;
    const int64_t columns = weight.size();
    if (columns == 0 || columns > most) return false;
    if (x.size() == 0 || x.size() / columns > INT32_MAX) return false;
    for (const Tensor<T, Cuda>* operand : {&x, &gradient, &weight}) {
      if (!operand->is_contiguous()) return false;
    }
    return true;
  }

  template <bool Centred, class T, class C, class D>
  static void run([[maybe_unused]] const char* operation,
                  [[maybe_unused]] const NormGradients<T, C, D>& n) {
#if defined(__CUDACC__)
    const Cuda device{n.x.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    for (Storage* read : {n.x.storage(), n.gradient.storage(), n.weight.storage(),
                          n.scale.storage(), Centred ? n.centre->storage() : nullptr}) {
      if (read != nullptr) on_cuda::order_read(read, stream);
    }
    for (Storage* written :
         {n.to_x.buffer.storage(), n.to_weight.buffer.storage(), n.to_bias.buffer.storage()}) {
      on_cuda::order_write(written, stream);
    }
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    constexpr int few = on_cuda::norm_few_elements;
    constexpr int most = on_cuda::norm_elements<C>;
    bool whole = n.columns() % lanes == 0;  // full, aligned vectors
    const T* const rows_and_weight[] = {n.x.data(), n.gradient.data(), n.weight.data(),
                                        n.to_x.buffer.data()};
    for (const T* at : rows_and_weight) {
      whole = whole && reinterpret_cast<std::uintptr_t>(at) % 16 == 0;
    }
    const bool is_short = !whole && n.columns() <= 32 * few;
    const void* const kernel = whole      ? kernel_of<T, C, Centred, lanes, most>()
                               : is_short ? kernel_of<T, C, Centred, 1, few>()
                                          : kernel_of<T, C, Centred, 1, most>();
    on_cuda::NormGrid<T, C> grid;
    const unsigned threads = on_cuda::detail::plan_norm(
        n.rows(), n.columns(), whole ? lanes : 1, is_short ? few : most,
        on_cuda::properties(device).multiprocessors, grid.group, grid.rows_a_block, grid.blocks);
    constexpr int sums = Centred ? 2 : 1;
    const StorageHandle partials(Memory<Cuda>::allocate(
        device, int64_t{grid.blocks} * sums * n.columns() * static_cast<int64_t>(sizeof(C))));
    grid.x = n.x.data();
    grid.gradient = n.gradient.data();
    grid.weight = n.weight.data();
    grid.centre = Centred ? n.centre->data() : nullptr;
    grid.scale = n.scale.data();
    grid.target = n.to_x.buffer.data();
    grid.sums = static_cast<C*>(partials->data);
    grid.rows = static_cast<unsigned>(n.rows());
    grid.columns = static_cast<unsigned>(n.columns());
    grid.adds = n.to_x.adds;
    const detail::Name name{"backward", operation};
    void* arguments[] = {&grid};
    on_cuda::detail::launch(name, n.x.shape(), kernel, dim3(grid.blocks), threads, arguments,
                            stream);

    on_cuda::NormSums<T, C> total{grid.sums,
                                  grid.blocks,
                                  grid.columns,
                                  static_cast<unsigned>(sums) * grid.columns,
                                  {n.to_weight.buffer.data(), n.to_bias.buffer.data()},
                                  { n.to_weight.adds,
                                    n.to_bias.adds }};
    void* rest[] = {&total};
    on_cuda::detail::launch(
        name, n.weight.shape(), reinterpret_cast<const void*>(on_cuda::finish_norm<T, C>),
        dim3((total.count + 31) / 32), 1024, rest, stream, 0, on_cuda::detail::early_start(device));
#else
    static_assert(detail::always_false<T>,
                  "weft: a gradient on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  template <class T, class C, bool Centred, int V, int E>
  static const void* kernel_of() {
    const auto kernel = on_cuda::norm_gradients<T, C, Centred, V, E>;
    return reinterpret_cast<const void*>(kernel);
  }
#endif
};

}  // namespace weft

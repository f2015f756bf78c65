// layer_norm's and rms_norm's gradients on CUDA: rows in registers, with sums over all rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/gradient/norm_narrow.hpp"
#include "weft/cuda/memory/stream_dependencies.hpp"
#include "weft/eval/rows/norm.hpp"

namespace weft {

template <>
struct NormExecutor<Cuda> {
  /// The longest rows that the registers of a block hold, or of a cluster if the GPU has clusters.
  template <class T>
  static bool serves(const Tensor<T, Cuda>& gradient, const Tensor<T, Cuda>& weight) {
    using C = compute_t<T>;
    constexpr int64_t most = int64_t{on_cuda::norm_threads} * on_cuda::norm_elements<C>;
    const int64_t columns = weight.size();
    if (columns == 0 || columns > most * on_cuda::norm_parts) return false;
    if (gradient.size() == 0 || gradient.size() / columns > INT32_MAX) return false;
    if (!gradient.is_contiguous() || !weight.is_contiguous()) return false;
#if defined(__CUDACC__)
    const auto kernel = reinterpret_cast<const void*>(on_cuda::finish_norm<T, C>);
    return columns <= most || on_cuda::has_bulk_copies(kernel, gradient.device());
#else
    return columns <= most;
#endif
  }

  template <bool Centred, class Outs, class Types, class T, class C, class D, class Program>
  static void run([[maybe_unused]] const char* operation,
                  [[maybe_unused]] const NormGradients<T, C, D>& n,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int k = detail::target_count<Outs>;
    constexpr int inputs = detail::count(Types{});
    const Cuda device{n.gradient.storage()->ordinal};
    const on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::detail::order(n.operands, k + inputs, stream, k);
    for (Storage* read : {n.gradient.storage(), n.weight.storage(), n.scale.storage(),
                          Centred ? n.centre->storage() : nullptr}) {
      if (read != nullptr) on_cuda::order_read(read, stream);
    }
    for (Storage* written : {n.to_weight.buffer.storage(), n.to_bias.buffer.storage(),
                             n.whole != nullptr ? n.whole->storage() : nullptr}) {
      if (written != nullptr) on_cuda::order_write(written, stream);
    }
    on_cuda::NarrowNormGrid<T, C, inputs, k> grid;
    grid.rows = static_cast<unsigned>(n.rows());
    grid.columns = static_cast<unsigned>(n.columns());
    grid.gradient = n.gradient.data();
    grid.weight = n.weight.data();
    grid.centre = Centred ? n.centre->data() : nullptr;
    grid.scale = n.scale.data();
    grid.whole = n.whole != nullptr ? n.whole->data() : nullptr;
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    constexpr int each = on_cuda::norm_elements<C>;
    constexpr int few = on_cuda::narrow_norm_elements<C>;
    const on_cuda::Properties& properties = on_cuda::properties(device);
    const int multiprocessors = properties.multiprocessors;
    const bool whole = on_cuda::detail::place_operands(n.operands, lanes, grid);
    unsigned bytes = 0;
    if (!whole) {
      bytes = on_cuda::detail::plan_narrow_norm(n.operands, few, multiprocessors, Centred, grid);
      if (bytes > properties.shared_memory_per_block) bytes = 0;
    }
    unsigned threads = on_cuda::narrow_norm_threads;
    if (bytes == 0) {
      threads = on_cuda::detail::plan_norm(whole ? lanes : 1, each, multiprocessors, grid);
    }
    const void* const kernel = whole ? kernel_of<Outs, Types, Centred, lanes, each, Program>(grid)
                               : bytes == 0
                                   ? kernel_of<Outs, Types, Centred, 1, each, Program>(grid)
                                   : narrow_kernel_of<Outs, Types, Centred, few, Program>(grid);
    const unsigned lines = grid.blocks / grid.parts;
    constexpr int sums = Centred ? 2 : 1;
    const StorageHandle partials(Memory<Cuda>::allocate(
        device, int64_t{lines} * sums * n.columns() * static_cast<int64_t>(sizeof(C))));
    grid.sums = static_cast<C*>(partials->data);
    const detail::Name name{"backward", operation};
    void* arguments[] = {&grid, const_cast<Program*>(&program)};
    on_cuda::detail::launch(name, n.gradient.shape(), kernel, dim3(grid.blocks), threads, arguments,
                            stream, static_cast<int>(bytes), on_cuda::detail::Start::ordinary,
                            grid.parts);

    on_cuda::NormSums<T, C> total{grid.sums,
                                  lines,
                                  grid.columns,
                                  static_cast<unsigned>(sums) * grid.columns,
                                  {n.to_weight.buffer.data(), n.to_bias.buffer.data()},
                                  { n.to_weight.adds,
                                    n.to_bias.adds }};
    void* rest[] = {&total};
    constexpr unsigned width = on_cuda::finish_norm_columns;
    on_cuda::detail::launch(
        name, n.weight.shape(), reinterpret_cast<const void*>(on_cuda::finish_norm<T, C>),
        dim3((total.count + width - 1) / width), on_cuda::finish_norm_threads, rest, stream, 0,
        on_cuda::detail::early_start(device, on_cuda::waits_on));
#else
    static_assert(detail::always_false<T>,
                  "weft: a gradient on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  template <class Outs, class Types, bool Centred, int V, int E, class Program, class T, class C,
            int N, int K>
  static const void* kernel_of(const on_cuda::NormGrid<T, C, N, K>&) {
    using Grid = on_cuda::NormGrid<T, C, N, K>;
    const auto kernel = on_cuda::norm_gradients<Outs, Types, Centred, V, E, Grid, Program>;
    return reinterpret_cast<const void*>(kernel);
  }
  template <class Outs, class Types, bool Centred, int E, class Program, class Grid>
  static const void* narrow_kernel_of(const Grid&) {
    const auto kernel = on_cuda::narrow_norm_gradients<Outs, Types, Centred, E, Grid, Program>;
    return reinterpret_cast<const void*>(kernel);
  }
#endif
};

}  // namespace weft

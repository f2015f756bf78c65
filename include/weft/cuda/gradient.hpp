// Gradients on CUDA: all of a statement's in one kernel; another finishes the sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/for_each.hpp"
#include "weft/cuda/gradient/kernel.hpp"
#include "weft/cuda/gradient/norm.hpp"
#include "weft/cuda/reduce.hpp"
#include "weft/ops/reduce/reduce.hpp"

namespace weft {

template <>
struct GradientExecutor<Cuda> {
  template <class Outs, class Types, class Program>
  static void run([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                  [[maybe_unused]] const Shape& shape, [[maybe_unused]] detail::Operand* operands,
                  [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    constexpr int k = detail::target_count<Outs>;
    constexpr int n = detail::count(Types{}) + k;
    constexpr int lanes = on_cuda::lanes_of<Outs>(Types{});
    constexpr int lanes_of_sums =
        on_cuda::detail::lanes_of_sums<lanes>(Types{}, typename Program::values{});
    static_assert(sizeof(Program) + sizeof(on_cuda::SumGrid<n, k>) <= 4096,
                  "weft: the expression is too large for one kernel: store a part of it in a Var");
    const Stores stores = program.stores;
    const unsigned dense = stores.wanted & ~stores.sums;
    for (int j = 0; j < k; ++j) {
      if ((stores.wanted >> j & 1U) == 0) {
        operands[j].set(nullptr, static_cast<std::size_t>(operands[j].itemsize), Shape{}, Strides{},
                        nullptr);
      }
    }
    detail::broadcast_operands(operands, n, shape);
    on_cuda::DeviceGuard guard(device);
    const on_cuda::Stream stream = on_cuda::current_stream(device);
    on_cuda::detail::order(operands, n, stream, k);
    detail::Loops loops = detail::loops_over(shape);
    detail::simplify(loops, operands, n, true);
    const auto run_dense = [&](const detail::Loops& piece) {
      return stores.sums == 0 && dense != 0 &&
             run_aligned<Outs, Types, lanes, n>(name, shape, piece, operands, program, stream);
    };
    if (run_dense(loops)) return;
    StorageHandle transposed[n - k];
    transpose_all(Types{}, name, device, loops, operands + k, transposed);

    on_cuda::SumGrid<n, k> grid;
    grid.pitch = loops.rank > 0 ? loops.size[loops.rank - 1] : 1;
    grid.parts = on_cuda::detail::parts_of_row(grid.pitch, lanes_of_sums);
    on_cuda::detail::StartedSum begun[k];
    const int multiprocessors = on_cuda::properties(device).multiprocessors;
    const on_cuda::detail::SumLoops how =
        on_cuda::detail::plan_sum_loops(loops, operands, n, k, stores.sums);
    on_cuda::detail::SumBlocks all;
    if (stores.sums != 0) {
      on_cuda::detail::in_pieces(loops, operands, n, [&](const detail::Loops& piece) {
        const dim3 blocks = on_cuda::detail::plan_sum_rows(piece, lanes_of_sums, true,
                                                           how.sums_along, multiprocessors, grid);
        all.add(blocks, grid.row_step);
      });
    }
    begin_sums(typename Program::values{}, device, loops, operands, stores, grid, all,
               how.splits_rows, begun, std::make_index_sequence<k>{});
    on_cuda::detail::SumBlocks before;
    on_cuda::detail::in_pieces(loops, operands, n, [&](const detail::Loops& piece) {
      if (!how.fits && run_dense(piece)) return;
      const dim3 blocks = on_cuda::detail::plan_sum_rows(piece, lanes_of_sums, stores.sums != 0,
                                                         how.sums_along, multiprocessors, grid);
      plan_operands<lanes_of_sums>(Outs{}, Types{}, typename Program::values{}, piece, operands,
                                   before, grid);
      void* arguments[] = {&grid, const_cast<Program*>(&program)};
      const auto kernel = on_cuda::gradient_kernel<Outs, Types, lanes_of_sums, n, k, Program>;
      on_cuda::detail::launch(name, shape, reinterpret_cast<const void*>(kernel), blocks,
                              on_cuda::block_threads, arguments, stream);
      before.add(blocks, grid.row_step);
    });
    finish_sums(typename Program::values{}, name, device, shape, loops, grid, all, begun,
                std::make_index_sequence<k>{});
#else
    static_assert(detail::always_false<Program>,
                  "weft: a gradient on Cuda is computed in a file that nvcc compiles: move this "
                  "statement to a .cu file");
#endif
  }

#if defined(__CUDACC__)
 private:
  /// Runs everything in the kernel for aligned operands, if they are aligned.
  template <class Outs, class Types, int V, int N, class Program>
  static bool run_aligned(const detail::Name& name, const Shape& shape, const detail::Loops& loops,
                          detail::Operand* operands, const Program& program,
                          const on_cuda::Stream& stream) {
    on_cuda::Grid<N> grid;
    constexpr int targets = detail::target_count<Outs>;
    if (!on_cuda::detail::fits(loops, operands, N) ||
        !on_cuda::detail::is_aligned<true>(loops, operands, N, targets, V, {}, grid.apart)) {
      return false;
    }
    int aligned = 0;
    for (int j = 0; j < targets; ++j) {
      if (operands[j].data != nullptr && (grid.apart >> j & 1U) == 0) aligned = j;
    }
    if (operands[aligned].data == nullptr || (grid.apart >> aligned & 1U) != 0) return false;
    on_cuda::detail::plan_row_items(loops, operands[aligned], V, grid);
    on_cuda::detail::plan_operands(loops, operands, N, grid.data, grid.lane, grid.stride);
    const auto kernel = on_cuda::for_each_aligned<Outs, Types, V, N, Program>;
    void* arguments[] = {&grid, const_cast<Program*>(&program)};
    on_cuda::detail::launch(name, shape, reinterpret_cast<const void*>(kernel),
                            (grid.items + on_cuda::block_threads - 1) / on_cuda::block_threads,
                            on_cuda::block_threads, arguments, stream);
    return true;
  }

  template <class... Ts>
  static void transpose_all(detail::TypeList<Ts...>, const detail::Name& name, Cuda device,
                            const detail::Loops& loops, detail::Operand* operands,
                            StorageHandle* transposed) {
    (transpose<Ts>(name, device, loops, *operands++, *transposed++), ...);
  }
  /// Copies a large operand that is contiguous across the loops' rows into their order: the kernel
  /// does not transpose tiles.
  template <class T>
  WEFT_OUTLINED static void transpose(const detail::Name& name, Cuda device,
                                      const detail::Loops& loops, detail::Operand& x,
                                      StorageHandle& copy) {
    if constexpr (!std::is_same_v<T, IndexOperand> && !is_small<T>) {
      if (!on_cuda::detail::lies_across(loops, x)) return;
      Shape shape;
      detail::Operand operands[2];
      for (int d = 0; d < loops.rank; ++d) {
        if (x.stride[d] == 0) continue;
        operands[1].stride[shape.rank()] = x.stride[d];
        shape.push_back(loops.size[d]);
      }
      const int64_t bytes = shape.size() * static_cast<int64_t>(sizeof(T));
      copy = StorageHandle(Memory<Cuda>::allocate(device, bytes));
      const Strides rows = contiguous_strides(shape);
      Strides across;
      for (int d = 0; d < shape.rank(); ++d) across.push_back(operands[1].stride[d]);
      operands[0].set(copy->data, sizeof(T), shape, rows, copy.get());
      operands[1].set(x.data, sizeof(T), shape, across, x.storage);
      Executor<Cuda>::for_each<T, detail::TypeList<T>>(name, device, shape, operands, Arg<1, T>{});
      x.data = static_cast<char*>(copy->data);
      x.storage = copy.get();
      int at = 0;
      for (int d = 0; d < loops.rank; ++d) {
        if (x.stride[d] != 0) x.stride[d] = rows[at++];
      }
    }
  }

  template <int V, class... Outs, class... Ts, class... Vs, int N, int K>
  static void plan_operands(detail::TypeList<Outs...>, detail::TypeList<Ts...>,
                            detail::TypeList<Vs...>, const detail::Loops& loops,
                            const detail::Operand* operands,
                            const on_cuda::detail::SumBlocks& before,
                            on_cuda::SumGrid<N, K>& grid) {
    constexpr bool whole[] = {on_cuda::detail::moves_whole<Outs, V>...,
                              on_cuda::detail::moves_whole<Ts, V>...};
    constexpr int bytes[] = {static_cast<int>(sizeof(Vs))...};
    for (int i = 0; i < N; ++i) {
      const bool sums = i < K && grid.mode[i] > on_cuda::SumMode::add;
      on_cuda::detail::plan_sum_operand(loops, operands[i], V, whole[i] && !sums, grid.row_step,
                                        grid.operand[i]);
      if (sums) {
        grid.sum[i] = operands[i].data + before.values(grid.mode[i], grid.pitch) * bytes[i];
      }
    }
  }

  template <class... Vs, int N, int K, std::size_t... J>
  static void begin_sums(detail::TypeList<Vs...>, Cuda device, const detail::Loops& loops,
                         detail::Operand* operands, Stores stores, on_cuda::SumGrid<N, K>& grid,
                         const on_cuda::detail::SumBlocks& all, bool splits_rows,
                         on_cuda::detail::StartedSum* begun, std::index_sequence<J...>) {
    (on_cuda::detail::begin_sum(device, loops, operands[J], (stores.wanted >> J & 1U) != 0,
                                (stores.adds >> J & 1U) != 0, (stores.sums >> J & 1U) != 0,
                                static_cast<int>(sizeof(Vs)), grid.pitch, grid.parts, all,
                                splits_rows, grid.mode[J], begun[J]),
     ...);
  }

  template <class... Vs, int N, int K, std::size_t... J>
  static void finish_sums(detail::TypeList<Vs...>, const detail::Name& name, Cuda device,
                          const Shape& shape, const detail::Loops& loops,
                          const on_cuda::SumGrid<N, K>& grid, const on_cuda::detail::SumBlocks& all,
                          const on_cuda::detail::StartedSum* begun, std::index_sequence<J...>) {
    (finish_sum<Vs>(name, device, shape, loops, all, grid.pitch, grid.parts, begun[J]), ...);
  }
  /// target = the sum of the partial sums.
  template <class V>
  WEFT_OUTLINED static void finish_sum(const detail::Name& name, Cuda device, const Shape& shape,
                                       const detail::Loops& loops,
                                       const on_cuda::detail::SumBlocks& all, int64_t inner,
                                       int64_t parts, const on_cuda::detail::StartedSum& begun) {
    using on_cuda::SumMode;
    if (begun.mode == SumMode::skip) return;
    Shape kept;
    Shape reduced;
    detail::Operand operands[2];
    operands[0] = begun.target;
    operands[1].set(begun.memory->data, sizeof(V), {}, {}, begun.memory.get());
    if (begun.mode == SumMode::whole) {
      operands[1].set(begun.memory->data, sizeof(V), shape, contiguous_strides(shape),
                      begun.memory.get());
      detail::Operand& target = operands[0];
      detail::ReducedAxes axes{0, true};
      for (int d = 0; d < shape.rank(); ++d) {
        if (target.size[d] != shape[d]) axes.mask |= 1U << d;
      }
      const Shape out = axes.result(shape);
      target.set(target.data, sizeof(V), out, contiguous_strides(out), target.storage);
      detail::split_axes(shape, axes, operands, 2, kept, reduced);
    } else if (begun.mode == SumMode::columns) {
      on_cuda::detail::plan_columns(loops, parts, operands, kept, reduced);
    } else {
      const bool by_rows = begun.mode == SumMode::rows;
      kept = {by_rows ? inner : 1};
      reduced = {by_rows ? all.lines : all.warps};
      operands[0].stride[0] = 1;
      operands[0].stride[1] = 0;
      operands[1].stride[0] = 1;
      operands[1].stride[1] = by_rows ? inner : 1;
    }
    Reducer<Cuda>::reduce<V, detail::TypeList<V>>(name, reducer::sum{}, device, kept, reduced,
                                                  operands, Arg<1, V>{});
  }
#endif
};

WEFT_MODEL(GradientDevice<Cuda>);

}  // namespace weft

// Element-wise statements on CUDA: one kernel each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/elementwise/assumed.hpp"
#include "weft/cuda/elementwise/found_rows.hpp"
#include "weft/cuda/elementwise/multi_output.hpp"
#include "weft/cuda/elementwise/plan.hpp"
#include "weft/cuda/elementwise/vector_gather.hpp"
#include "weft/cuda/primitive/launch.hpp"
#include "weft/cuda/primitive/placed.hpp"
#include "weft/cuda/primitive/registers.hpp"
#include "weft/eval/program/executor.hpp"

namespace weft {

#if defined(__CUDACC__)
namespace on_cuda {

/// Hides a number's origin from the compiler, which would otherwise keep values derived from it in
/// registers throughout a loop.
__device__ __forceinline__ unsigned opaque(unsigned x) {
  weft::detail::ptx::forget_origin(x);
  return x;
}

/// targets = programs over the other operands, with every vector full and the targets' aligned: few
/// instructions, so that even many operands run at memory speed. Vectors may cross from one row
/// into the next if the targets are contiguous as a whole. Gathers along an axis read one slice for
/// all lanes.
template <class Out, class Types, int V, int N, class Program, bool Assumes = false>
__global__ void __launch_bounds__(block_threads)
    for_each_aligned(const __grid_constant__ Grid<N> grid,
                     const __grid_constant__ Program program) {
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;
  if (item >= grid.items) return;
  constexpr int distinct = Assumes ? detail::distinct_operands<Out, Program> : N;
  constexpr bool several_rows = distinct <= most_of_several_rows;
  const unsigned element = item * V;
  const unsigned row = grid.row_elements.divide(element);
  const int start = static_cast<int>(element - row * grid.row_elements.divisor);
  int offset[N];
  [[maybe_unused]] unsigned index = go_to_row<several_rows>(grid, row, offset);
  if (several_rows && index >= grid.rows) return;
#pragma unroll
  for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];
  const RowEnds ends = row_ends_from(grid.row_ends, grid.inner - start, grid.stride[0] + jump);
  constexpr int first_input = weft::detail::target_count<Out> - 1;
  constexpr bool words = detail::may_share<typename detail::ElementPatterns<Program>::Outputs>;
  const auto compute_row = [&] {
    Registers<Types, V> registers;
    if constexpr (Assumes || detail::shares_parts<Program>) {
      const auto load = [&]<int K>(auto& vector) {
        constexpr int k = first_input + K;
        on_cuda::load_aligned<words>(vector, grid.data[k], offset[k], grid.lane[k],
                                     (grid.apart & std::uint64_t{1} << k) != 0, ends.of(k));
      };
      if constexpr (Assumes) {
        store_aligned(detail::compute_assumed_parts<Out, Types, V>(program, load), grid.data,
                      offset);
        return;
      }
      store_aligned(detail::compute_parts<Out, Types, V>(grid.shared, program, load, grid.alike),
                    grid.data, offset);
    } else if constexpr (has_rows<Program>) {
      registers.template load_aligned<row_access<Program>.indices, words>(
          grid.data + first_input, offset + first_input, grid.lane + first_input,
          grid.apart >> first_input, ends.of(first_input));
      const auto values =
          ValuesOf<V, Registers<Types, V>, OneSlice<V>>{registers, OneSlice<V>{}}(program);
      Vector<Out, V> stored;
#pragma unroll
      for (int j = 0; j < V; ++j) stored.lane[j] = store_element<Out>(values.lane[j]);
      store_aligned(stored, grid.data, offset);
    } else {
      registers.template load_aligned<row_access<Program>.indices, words>(
          grid.data + first_input, offset + first_input, grid.lane + first_input,
          grid.apart >> first_input, ends.of(first_input));
      registers.alike = grid.alike;
      registers.row_starts = ends.before;
      if constexpr (requires { typename Program::forward_program; }) {
        store_apart(compute_all<Out, V>(registers, program, 0, V), grid.data, offset, grid.lane,
                    static_cast<unsigned>(grid.apart));
      } else {
        store_aligned(compute_all<Out, V>(registers, program, 0, V), grid.data, offset);
      }
    }
  };
  if constexpr (several_rows) {
#pragma unroll 1
    for (int left = 1 << grid.rows_shift;;) {
      compute_row();
      if (--left == 0) break;
      const unsigned step = opaque(grid.row_step);
      index += step;
      if (index >= grid.rows) break;
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += static_cast<int>(step) * grid.stride[i][0];
    }
  } else {
    compute_row();
  }
}

/// The same for operands of any stride and alignment. Each thread loads all its elements, then
/// computes, then stores, so that a target may be an operand at the same index. A block computes
/// either neighbours in a row, or a tile for which it transposed some operands.
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    for_each_kernel(const __grid_constant__ Grid<N> grid, const __grid_constant__ Program program) {
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  constexpr int first_input = weft::detail::target_count<Out> - 1;
  extern __shared__ __align__(16) char shared[];
  if (grid.tiling.width > 0) {
    load_tile(grid.tiling, tile_place(grid.tiling, blockIdx.x), grid.inner, grid.outer, grid.size,
              grid.data, grid.lane, grid.stride, shared);
  }
#pragma unroll 1
  for (int pass = 0; pass < grid.passes; ++pass) {
    Transposed transposed{grid.transposed + first_input, shared};
    unsigned row = 0;
    int column = 0;
    if (grid.tiling.width == 0) {
      const unsigned step = opaque(blockIdx.x) * static_cast<unsigned>(grid.passes);
      const unsigned item = (step + static_cast<unsigned>(pass)) * blockDim.x + threadIdx.x;
      if (item >= grid.items) return;
      if (grid.outer > 0) row = grid.row_items.divide(item);
      column = static_cast<int>(item - row * grid.row_items.divisor) * V;
    } else {
      const TilePlace place = tile_place(grid.tiling, opaque(blockIdx.x));
      transposed.column = static_cast<int>(threadIdx.x % tile_width) * V;
      transposed.row = static_cast<int>(threadIdx.x / tile_width) + pass * tile_step;
      column = place.column + transposed.column;
      if (place.row + transposed.row >= static_cast<int>(grid.size[0].divisor)) return;
      row = place.outer * grid.size[0].divisor + place.row + transposed.row;
    }
    int offset[N];
    go_to_row(grid, row, offset);
    const int start = column - ((grid.head + offset[0]) & grid.head_mask);
    const int first = start < 0 ? -start : 0;
    const int last = grid.inner - start < V ? grid.inner - start : V;
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];

    Registers<Types, V> registers;
    if constexpr (detail::shares_parts<Program>) {
      const auto load = [&]<int K>(auto& vector) {
        constexpr int k = first_input + K;
        on_cuda::load<K>(vector, grid.data[k], offset[k], grid.lane[k], first, last, transposed);
      };
      store_all(detail::compute_parts<Out, Types, V>(grid.shared, program, load, 0), grid.data,
                offset, grid.lane, first, last);
    } else {
      registers.load(grid.data + first_input, offset + first_input, grid.lane + first_input, first,
                     last, transposed);
      if constexpr (has_rows<Program>) {
        if (grid.slices) {
          const OneSlice<V> slice{first, last};
          const auto values =
              ValuesOf<V, Registers<Types, V>, OneSlice<V>>{registers, slice}(program);
          Vector<Out, V> stored;
#pragma unroll
          for (int j = 0; j < V; ++j) stored.lane[j] = store_element<Out>(values.lane[j]);
          store_all(stored, grid.data, offset, grid.lane, first, last);
          continue;
        }
      }
      store_all(compute_all<Out, V>(registers, program, first, last), grid.data, offset, grid.lane,
                first, last);
    }
  }
}

}  // namespace on_cuda
#endif

namespace on_cuda {

#if defined(__CUDACC__)
/// Whether a statement only copies elements that one load can move.
template <class Out, class Types, class Program>
inline constexpr bool is_copy = false;
template <class T>
inline constexpr bool is_copy<T, weft::detail::TypeList<T>, Arg<1, T>> = sizeof(T) == alignof(T) &&
                                                                         sizeof(T) <= 8;

/// Describes an expression's kernels, without instantiating them.
template <class Out, class Types, class Program>
constexpr ForEachKernels for_each_kernels() {
  constexpr int n = weft::detail::count(Types{}) + weft::detail::target_count<Out>;
  constexpr int widest = placed_lanes<Program>(lanes_of_widest<Out>(Types{}));
  ForEachKernels out{weft::detail::target_count<Out>, widest};
  out.waits = waits_on;
  constexpr int row = row_access<Program>.bytes;
  // A target of the widest elements, and gathered rows, are stored 16 bytes at a time: of 32 each
  // store instruction would write half. With many operands, fewer instructions matter more.
  constexpr bool stores_wide = weft::detail::count(Types{}) <= 3 && [] {
    if constexpr (weft::detail::target_count<Out> == 1) {
      return static_cast<int>(sizeof(Out)) * lanes_of_widest<Out>(Types{}) == 16;
    }
    return false;
  }();
  constexpr int lanes = stores_wide ? widest : placed_lanes<Program>(lanes_of<Out>(Types{}));
  constexpr int row_lanes = row != 0 ? lanes_of_rows<Out, Types>(row) : lanes;
  static_assert((lanes & (lanes - 1)) == 0 && row_lanes > 0 && (row_lanes & (row_lanes - 1)) == 0);
  // With one operand of 4 bytes the general kernel is as fast (docs/notes/measurements.md). With
  // more, rows may be broadcast, which costs it twice the instructions.
  constexpr bool may_broadcast = weft::detail::count(Types{}) > 1;
  if constexpr (may_broadcast || row_lanes > 4 || row != 0) {
    out.has_aligned = true;
    // With 8-byte indices a thread would gather only two elements.
    if (row != 0 && out.lanes < 8) out.lanes = row_lanes < 8 ? row_lanes : 8;
    out.rows = {row_lanes, row_access<Program>.indices, row_access<Program>.offsets,
                weft::detail::positions_of(Types{}) << out.targets};
    if constexpr (detail::assumes_parts<Program> && row_access<Program>.indices == 0) {
      out.distinct = detail::distinct_operands<Out, Program>;
      out.assumed = detail::has_assumed_parts<Program>;
    }
  }
  out.crosses = row == 0;
  if (detail::may_share<typename detail::ElementPatterns<Program>::Outputs>) out.least_apart = 2;
  if constexpr (finds_rows<Out, Program>)
    out.found_rows = {found_lanes<Out, Program>, rows_found<Program>};
  out.copies = is_copy<Out, Types, Program>;
  return out;
}
#endif

}  // namespace on_cuda

template <>
struct Executor<Cuda> {
  /// True when nobody can see the storage's elements through `others` further handles, and no other
  /// stream has pending use of it.
  static bool may_overwrite(const Storage* storage, long others) {
    return others == on_cuda::recorded_handles(storage) &&
           on_cuda::used_only_on(storage, on_cuda::current_stream(Cuda{storage->ordinal}).handle());
  }

  /// Where kernels on the device leave a failure.
  static Failure* failure_flag(Cuda device) { return on_cuda::failure_flag(device); }

  /// operands[0] = program over the others, at every coordinate of `shape`.
  template <class Out, class Types, class Program>
  static void for_each([[maybe_unused]] const detail::Name& name, [[maybe_unused]] Cuda device,
                       [[maybe_unused]] const Shape& shape,
                       [[maybe_unused]] detail::Operand* operands,
                       [[maybe_unused]] const Program& program) {
#if defined(__CUDACC__)
    if constexpr (on_cuda::has_small<Out, Types>) {
      constexpr bool here = requires { sizeof(on_cuda::SmallStatement<Out, Types, Program>); };
      static_assert(here, "weft: for tensors of Small include <weft/small.hpp>");
      if constexpr (here) {
        on_cuda::SmallStatement<Out, Types, Program>::run(name, device, shape, operands, program);
      }
    } else {
      constexpr int n = detail::count(Types{}) + detail::target_count<Out>;
      static_assert(
          sizeof(Program) + sizeof(on_cuda::Grid<n>) <= 4096,
          "weft: the expression is too large for one kernel: store a part of it in a Tensor");
      constexpr on_cuda::ForEachKernels described =
          on_cuda::for_each_kernels<Out, Types, Program>();
      on_cuda::ForEachKernels kernels = described;
      kernels.general = reinterpret_cast<const void*>(
          on_cuda::for_each_kernel<Out, Types, described.lanes, n, Program>);
      if constexpr (on_cuda::detail::shares_parts<Program>) {
        kernels.share = on_cuda::detail::share_parts<Program>;
      }
      if constexpr (described.has_aligned) {
        kernels.aligned = reinterpret_cast<const void*>(
            on_cuda::for_each_aligned<Out, Types, described.rows.lanes, n, Program>);
        if constexpr (described.assumed != nullptr) {
          kernels.assuming = reinterpret_cast<const void*>(
              on_cuda::for_each_aligned<Out, Types, described.rows.lanes, n, Program, true>);
        }
      }
      if constexpr (on_cuda::finds_rows<Out, Program>) {
        kernels.finding = reinterpret_cast<const void*>(
            on_cuda::for_each_of_rows<Out, Types, described.found_rows.lanes, n, Program>);
      }
      if constexpr (described.copies) {
        kernels.copy = on_cuda::detail::run_copy<sizeof(Out)>;
      }
      on_cuda::detail::run_for_each<n>(name, device, shape, operands, kernels, &program);
    }
#else
    static_assert(detail::always_false<Program>,
                  "weft: an expression on Cuda is evaluated in a file that nvcc compiles: move "
                  "this statement to a .cu file");
#endif
  }
};

WEFT_MODEL(ElementwiseDevice<Cuda>);

}  // namespace weft

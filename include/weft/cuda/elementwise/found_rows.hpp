// Gathers of rows that no vectors divide: a block looks its rows up first, each once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/vector_gather.hpp"
#include "weft/cuda/primitive/grid.hpp"
#include "weft/cuda/primitive/launch.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// How many gathers along an axis a program has; many where it has effects of another kind.
template <class P>
inline constexpr int rows_found = 0;
template <class Op, class... Ps>
  requires(has_effects<Apply<Op, Ps...>>)
inline constexpr int rows_found<Apply<Op, Ps...>> =
    (rows_found<Ps> + ... + (has_effects<Apply<Op>> ? 1000 : 0));
template <class T, class Offsets, class Index>
inline constexpr int rows_found<Apply<op::gathered<T, AlongAxis>, Offsets, Index>> =
    has_effects<Index> ? 1000 : 1;

/// Whether a statement has a kernel that finds its gathered rows first.
template <class Out, class Program>
inline constexpr bool finds_rows = [] {
  if constexpr (weft::detail::target_count<Out> == 1) {
    constexpr unsigned others = Effects::draws | Effects::places | Effects::calls;
    return 0 < rows_found<Program> && rows_found<Program> <= 4 &&
           (effects_of<Program> & others) == 0 && !requires {
      typename Program::forward_program;
    };
  }
  return false;
}();
/// Elements of a thread of that kernel.
template <class Out, class Program>
inline constexpr int found_lanes = sizeof(Out) <= 4 && row_access<Program>.bytes <= 4 ? 8 : 4;

/// Where the gathered rows of a block begin, less what lies before them in the block's tile: an
/// element's address is that of its row, and its place in the tile.
template <class Program>
struct FoundPlaces {
  /// Stands for a row that is not there, as any negative number does.
  static constexpr long long none = INT64_MIN;
  static constexpr unsigned gathers = rows_found<Program>;
  long long* found;

  /// The rank of a gather among the program's.
  template <class Offsets>
  static constexpr unsigned rank =
      __builtin_popcountll(row_access<Program>.offsets&(weft::detail::uses_of<Offsets> - 1));

  /// Notes where each gather of `program` reads in a row of the tile; false if one's is not there.
  template <class P, class R>
  __device__ __forceinline__ bool find(const P& program, const R& registers, unsigned row,
                                       int inner) const {
    if constexpr (has_rows<P>) return find_in(program, registers, row, inner);
    return true;
  }
  __device__ __forceinline__ void find_none(unsigned row) const {
#pragma unroll
    for (unsigned g = 0; g < gathers; ++g) found[row * gathers + g] = none;
  }

 private:
  template <class T, class Offsets, class Index, class R>
  __device__ __forceinline__ bool find_in(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program, const R& registers,
      unsigned row, int inner) const {
    const Lane<R> lane{registers, 0};
    long long at = get<0>(program.programs)(lane);
    const bool there = program.op.finder.find(at, get<1>(program.programs)(lane));
    at -= static_cast<int>(row) * inner;
    found[row * gathers + rank<Offsets>] =
        there ? reinterpret_cast<long long>(program.op.data) + at * static_cast<int>(sizeof(T))
              : none;
    return there;
  }
  template <class Op, class... Ps, class R>
  __device__ __forceinline__ bool find_in(const Apply<Op, Ps...>& program, const R& registers,
                                          unsigned row, int inner) const {
    return find_in_each(program.programs, registers, row, inner);
  }
  template <class... Ps, class R>
  __device__ __forceinline__ bool find_in_each(const Pack<Ps...>& programs, const R& registers,
                                               unsigned row, int inner) const {
    if constexpr (sizeof...(Ps) > 0) {
      const bool first = find(programs.head, registers, row, inner);
      return find_in_each(programs.tail, registers, row, inner) && first;
    }
    return true;
  }
};

/// The gathered elements of a thread's lanes, each at its own place of the tile.
template <class Program, int V>
struct FoundSlices {
  FoundPlaces<Program> places;
  bool all;  // lanes and rows are there
  unsigned first;
  unsigned row[V];

  __device__ __forceinline__ unsigned place(int j) const { return first + j * block_threads; }

  template <class T, class Offsets, class Index, class R>
  __device__ __forceinline__ LaneValues<compute_t<T>, V> operator()(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program, const R&) const {
    LaneValues<compute_t<T>, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = program.op.none();
    if (all) {
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = read<T>(j, begin<Offsets>(j));
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const long long at = begin<Offsets>(j);
        if (at >= 0) out.lane[j] = read<T>(j, at);
      }
    }
    return out;
  }

 private:
  template <class Offsets>
  __device__ __forceinline__ long long begin(int j) const {
    return places.found[row[j] * places.gathers + FoundPlaces<Program>::template rank<Offsets>];
  }
  template <class T>
  __device__ __forceinline__ compute_t<T> read(int j, long long at) const {
    const T* const p = reinterpret_cast<const T*>(at) + place(j);
    __builtin_assume(__isGlobal(p));
    return load_element(*p);
  }
};

/// target = program over the other operands, for rows that are one stretch of the target. A thread
/// computes one element in each block_threads, so that a warp reads and writes neighbours.
template <class Out, class Types, int V, int N, class Program>
__global__ void __launch_bounds__(block_threads)
    for_each_of_rows(const __grid_constant__ Grid<N> grid,
                     const __grid_constant__ Program program) {
  detail::wait_for_kernel_before();
  detail::admit_next_kernel();
  extern __shared__ __align__(16) char shared[];
  const FoundPlaces<Program> places{reinterpret_cast<long long*>(shared)};
  constexpr std::uint64_t of_rows = row_access<Program>.indices | row_access<Program>.offsets;
  constexpr unsigned tile = block_threads * V;
  const unsigned begin = blockIdx.x * tile;
  const unsigned count = grid.items - begin < tile ? grid.items - begin : tile;
  const unsigned first_row = grid.row_items.divide(begin);
  const unsigned before = begin - first_row * grid.row_items.divisor;
  const unsigned rows = grid.row_items.divide(before + count - 1) + 1;
  const unsigned tile_rows = grid.row_items.divide(before + tile - 1) + 1;
  bool all = count == tile;
#pragma unroll 1
  for (unsigned row = threadIdx.x; row < tile_rows; row += block_threads) {
    if (row >= rows) {
      places.find_none(row);
      continue;
    }
    int offset[N] = {};
    go_to_row(grid, first_row + row, offset);
    Registers<Types, 1> registers;
    registers.template load_each<of_rows>(
        [&]<int K>(auto& vector) { load(vector, grid.data[K], offset[K], 0, 0, 1); });
    all = places.find(program, registers, row, grid.inner) && all;
  }
  all = __syncthreads_or(!all) == 0;

  FoundSlices<Program, V> slices{places, all, before + threadIdx.x, {}};
#pragma unroll
  for (int j = 0; j < V; ++j) slices.row[j] = __umulhi(slices.place(j), grid.row_inverse);
  Registers<Types, V> registers;
  registers.template load_each<weft::detail::uses_of<Program> & ~of_rows>(
      [&]<int K, class T>(Vector<T, V>& vector) {
        const int lane = grid.lane[K];
        const int step = grid.stride[K][0];
        const int start = static_cast<int>(first_row) * step;
#pragma unroll
        for (int j = 0; j < V; ++j) {
          const int place = static_cast<int>(::min(slices.place(j), before + count - 1));
          const int row = static_cast<int>(::min(slices.row[j], rows - 1));
          Vector<T, 1> one;
          load(one, grid.data[K], start + place * lane + row * (step - grid.inner * lane), 0, 0, 1);
          vector.lane[j] = one.lane[0];
        }
      });
  const ValuesOf<V, Registers<Types, V>, FoundSlices<Program, V>> values_of{registers, slices};
  const auto values = values_of(program);
  Out* const target = reinterpret_cast<Out*>(grid.data[0]) + begin + threadIdx.x;
  const auto store = [&](auto full) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (decltype(full)::value || threadIdx.x + j * block_threads < count) {
        target[j * block_threads] = store_element<Out>(values.lane[j]);
      }
    }
  };
  if (count == tile) {
    store(std::true_type{});
  } else {
    store(std::false_type{});
  }
}

}  // namespace weft::on_cuda

#endif

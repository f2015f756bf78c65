// The kernels of a norm's gradients: one walks over the rows, the other adds up its blocks' sums.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/multi_output.hpp"
#include "weft/cuda/gradient/norm_sums.hpp"
#include "weft/cuda/primitive/tma.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// Prefetches into L2 what a row's threads read in their next turn, once this turn's row has
/// arrived, so that DRAM first serves what other blocks wait for.
template <class T, class C, int N, int K>
__device__ __forceinline__ void fetch_next_row([[maybe_unused]] const NormGrid<T, C, N, K>& grid,
                                               [[maybe_unused]] unsigned row) {
#if __CUDA_ARCH__ >= 900
  const unsigned next = row + grid.row_step;
  if (threadIdx.x % grid.group != 0 || next >= grid.rows) return;
  const unsigned part = grid.parts > 1 ? blockIdx.x % grid.parts : 0;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    if ((grid.fetched >> i & 1U) == 0) continue;
    const auto bytes = static_cast<unsigned>(grid.row[i]);
    const unsigned before = part * grid.ahead[i];
    fetch_to_l2(grid.data[i] + next * grid.row[i] + before,
                bytes - before < grid.ahead[i] ? bytes - before : grid.ahead[i]);
  }
  const unsigned before = part * grid.slice;
  const unsigned columns = grid.columns - before;
  fetch_to_l2(grid.gradient + static_cast<std::size_t>(next) * grid.columns + before,
              (columns < grid.slice ? columns : grid.slice) * static_cast<unsigned>(sizeof(T)));
#endif
}

/// The V elements from `column` on of row `row` of each operand.
template <class R, int V, class Grid>
__device__ __forceinline__ void load_row(R& registers, const Grid& grid, unsigned row,
                                         unsigned column) {
  registers.template load_each<~std::uint64_t{0}>([&]<int I, class X>(Vector<X, V>& to) {
    const auto* const from = reinterpret_cast<const X*>(grid.data[I - 1] + row * grid.row[I - 1]);
    if (grid.along[I - 1] != 0) {
      to = *reinterpret_cast<const Vector<X, V>*>(from + column);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) to.lane[j] = *from;
    }
  });
}

/// A norm's values for one element, as programs read them; `weighted` is its gradient times its
/// weight, the others are its row's.
template <class R, class C>
struct NormLane {
  const R& registers;
  int j;
  C weighted{};
  C centre{};
  C scale{};
  C mean{};
  C along{};

  template <int I>
  __device__ __forceinline__ auto get() const {
    return load_element(weft::get<I - 1>(registers.values).lane[j]);
  }
  /// With h = (x - centre) * scale and k = gradient * weight it is scale * (k - mean(k) - h mean(k
  /// h)); without a centre its mean(k) is left out.
  __device__ __forceinline__ C gradient_of(C x) const {
    const C h = (x - centre) * scale;
    return scale * (weighted - mean - h * along);
  }
};

template <class... Outs, int K>
__device__ __forceinline__ void place_targets(weft::detail::TypeList<Outs...>,
                                              char* const (&target)[K], std::size_t first,
                                              char* (&at)[K]) {
  int k = 0;
  ((at[k] = target[k] + first * sizeof(Outs), ++k), ...);
}
/// Stores V elements of the targets, from `first` on; lane(j) has the values for the j-th of them.
template <class Outs, int V, class T, class C, int N, int K, class Program, class At>
__device__ __forceinline__ void store_row(const NormGrid<T, C, N, K>& grid, const Program& program,
                                          std::size_t first, const At& lane) {
  if (N > 1 && grid.whole != nullptr) {
    Vector<C, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const auto of = lane(j);
      out.lane[j] = of.gradient_of(program.forward()(of));
    }
    *reinterpret_cast<Vector<C, V>*>(grid.whole + first) = out;
    return;
  }
  MultiOutputVectors<Outs, typename Program::values, V> out;
  out.stores = program.stores;
#pragma unroll
  for (int j = 0; j < V; ++j) set_lanes<V>(out.values, program(lane(j)), j);
  char* at[K];
  place_targets(Outs{}, grid.target, first, at);
  const int offset[K] = {};
  store_aligned(out, at, offset);
}

}  // namespace detail

/// The gradients of each row, and in each block's registers the sums for the weight and the bias; a
/// thread has E elements, in vectors of V.
template <class Outs, class Types, bool Centred, int V, int E, class Grid, class Program>
__global__ void __launch_bounds__(norm_threads, 1)
    norm_gradients(const __grid_constant__ Grid grid, const __grid_constant__ Program program) {
  detail::admit_next_kernel();
  using T = typename Grid::Element;
  using C = typename Grid::Statistic;
  constexpr int n = E / V;
  using Words = Vector<T, V>;
  using R = Registers<Types, V>;
  const unsigned lane = grid.rows_a_block == 1 ? threadIdx.x : threadIdx.x % grid.group;
  const unsigned place = grid.rows_a_block == 1 ? 0 : threadIdx.x / grid.group;
  __shared__ detail::NormExchange<C> exchange;
  unsigned block = blockIdx.x;
  unsigned begin_of_part = 0;  // its first column
  if (grid.parts > 1) {
    block = blockIdx.x / grid.parts;
    begin_of_part = blockIdx.x % grid.parts * grid.slice;
    exchange.begin();
  }
  const unsigned after = grid.columns - begin_of_part;
  const unsigned columns = after < grid.slice ? after : grid.slice;
  const unsigned from = begin_of_part / V + lane;
  bool inside[n];
  C weight[E];
#pragma unroll
  for (int k = 0; k < n; ++k) {
    inside[k] = (lane + k * grid.group) * V < columns;
    Words w{};
    if (inside[k]) w = reinterpret_cast<const Words*>(grid.weight)[from + k * grid.group];
#pragma unroll
    for (int j = 0; j < V; ++j) weight[k * V + j] = load_element(w.lane[j]);
  }
  const C share = C(1) / static_cast<C>(grid.columns);
  C to_weight[E]{};
  C to_bias[Centred ? E : 1]{};
  unsigned turn = 0;
#pragma unroll 1
  for (unsigned first = block * grid.rows_a_block; first < grid.rows;
       first += grid.row_step, ++turn) {
    const unsigned row = first + place;
    const bool there = row < grid.rows;
    const auto begin = static_cast<std::size_t>(there ? row : 0) * (grid.columns / V) + from;
    R x[n]{};
    Words g[n]{};
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (!inside[k] || !there) continue;
      detail::load_row<R, V>(x[k], grid, row, (from + k * grid.group) * V);
      g[k] = reinterpret_cast<const Words*>(grid.gradient)[begin + k * grid.group];
    }
    const C scale = there ? grid.scale[row] : C{};
    const C centre = Centred && there ? grid.centre[row] : C{};
    C along{};
    C mean{};
#pragma unroll
    for (int e = 0; e < E; ++e) {
      const C value = program.forward()(detail::NormLane<R, C>{x[e / V], e % V});
      // Where there is no element, a function of 0 may be NaN.
      const bool counts =
          weft::detail::is_operand<typename Program::forward_program> || (there && inside[e / V]);
      const C h = counts ? (value - centre) * scale : C{};
      const C upstream = load_element(g[e / V].lane[e % V]);
      to_weight[e] += upstream * h;
      if constexpr (Centred) to_bias[e] += upstream;
      const C weighted = upstream * weight[e];
      along += weighted * h;
      mean += weighted;
    }
    if constexpr (V > 1) detail::fetch_next_row(grid, row);
    detail::sum_of_row(along, mean, grid.group, turn);
    if (grid.parts > 1) exchange.sum(along, mean, grid.parts, turn);
    along *= share;
    mean = Centred ? mean * share : C{};
#pragma unroll
    for (int k = 0; k < n; ++k) {
      if (!inside[k] || !there) continue;
      const auto of = [&](int j) {
        const C weighted = load_element(g[k].lane[j]) * weight[k * V + j];
        return detail::NormLane<R, C>{x[k], j, weighted, centre, scale, mean, along};
      };
      detail::store_row<Outs, V>(grid, program, (begin + k * grid.group) * V, of);
    }
  }
  __shared__ C tile[E * 128];
  C* const line = grid.sums + static_cast<std::size_t>(block) * (Centred ? 2 : 1) * grid.columns +
                  begin_of_part;
  detail::store_line<V>(to_weight, line, columns, grid.group, grid.rows_a_block, tile);
  if constexpr (Centred) {
    detail::store_line<V>(to_bias, line + grid.columns, columns, grid.group, grid.rows_a_block,
                          tile);
  }
}

/// Adds up lines of sums, always in the same order: a few columns by many threads each, so that
/// even 512 columns occupy the GPU and each thread's loads are under way at once.
template <class T, class C>
__global__ void __launch_bounds__(finish_norm_threads)
    finish_norm(const __grid_constant__ NormSums<T, C> sums) {
  detail::wait_for_kernel_before();
  constexpr unsigned width = finish_norm_columns;
  constexpr unsigned warps = finish_norm_threads / 32;
  __shared__ C tile[warps][width];
  const unsigned x = threadIdx.x % width;
  const unsigned column = blockIdx.x * width + x;
  C total{};
  if (column < sums.count) {
#pragma unroll 8
    for (unsigned line = threadIdx.x / width; line < sums.height;
         line += finish_norm_threads / width) {
      total += sums.lines[static_cast<std::size_t>(line) * sums.count + column];
    }
  }
#pragma unroll
  for (unsigned w = width; w < 32; w *= 2) total += __shfl_xor_sync(~0U, total, w);
  if (threadIdx.x % 32 < width) tile[threadIdx.x / 32][x] = total;
  __syncthreads();
  if (threadIdx.x >= width || column >= sums.count) return;
#pragma unroll
  for (unsigned i = 1; i < warps; ++i) total += tile[i][x];
  const unsigned which = column / sums.columns;
  T* const to = sums.target[which] + column % sums.columns;
  *to = store_element<T>(sums.adds[which] ? load_element(*to) + total : total);
}

}  // namespace weft::on_cuda

#endif

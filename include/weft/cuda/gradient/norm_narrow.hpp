// The kernel of a norm's gradients over short rows of any length: a block's rows in shared memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/gradient/norm_kernel.hpp"
#include "weft/cuda/gradient/norm_stages.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// Writes a block's line of sums; `tile` has room for the sums of all warps.
template <class C, int E, class Grid>
__device__ __forceinline__ void store_narrow_line(C (&sum)[E], C* line, const Grid& grid, C* tile) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned width = grid.each * grid.group;
  C* const mine = tile + threadIdx.x / 32 * width + lane * grid.each;
  __syncthreads();
#pragma unroll
  for (int e = 0; e < E; ++e) {
    if (static_cast<unsigned>(e) >= grid.each) break;
#pragma unroll 1
    for (unsigned w = 16; w >= grid.group; w /= 2) sum[e] += __shfl_xor_sync(~0U, sum[e], w);
    if (lane < grid.group) mine[e] = sum[e];
  }
  __syncthreads();
  for (unsigned column = threadIdx.x; column < grid.columns; column += blockDim.x) {
    C total{};
#pragma unroll
    for (unsigned w = 0; w < narrow_norm_threads / 32; ++w) total += tile[w * width + column];
    line[column] = total;
  }
}

}  // namespace detail

/// A norm's values for one element once its row's sums are known: `h` is the normalised element.
template <class R, class C>
struct KnownNormLane {
  const R& registers;
  C weighted;
  C h;
  C scale;
  C mean;
  C along;

  template <int I>
  __device__ __forceinline__ auto get() const {
    return load_element(weft::get<I - 1>(registers.values).lane[0]);
  }
  /// See NormLane.
  __device__ __forceinline__ C gradient_of(C) const {
    return scale * (weighted - mean - h * along);
  }
};

/// Like norm_gradients, for short rows; a thread has up to E elements of one.
template <class Outs, class Types, bool Centred, int E, class Grid, class Program>
class NarrowNorm;
template <class... Outs, class Types, bool Centred, int E, class Grid, class Program>
class NarrowNorm<weft::detail::TypeList<Outs...>, Types, Centred, E, Grid, Program> {
  using T = typename Grid::Element;
  using C = typename Grid::Statistic;
  using R = Registers<Types, 1>;
  static constexpr int n = weft::detail::count(Types{});
  static constexpr int k = sizeof...(Outs);
  static constexpr unsigned batch = E % 3 == 0 ? 3 : 2;  // elements between two tests for the last

 public:
  __device__ __forceinline__ NarrowNorm(const Grid& grid, const Program& program, char* shared)
      : grid_(grid), program_(program), shared_(shared), stages_(grid, program.stores, shared) {}

  __device__ __forceinline__ void run() {
    const unsigned lane = threadIdx.x & (grid_.group - 1);
    const unsigned place = threadIdx.x >> grid_.group_shift;
    const unsigned step = gridDim.x * grid_.rows_a_block;
    const C share = C(1) / static_cast<C>(grid_.columns);
    const unsigned begin = lane * grid_.each;
    const unsigned left = grid_.columns < begin ? 0 : grid_.columns - begin;
    const unsigned have = left < grid_.each ? left : grid_.each;
    C weight[E]{};
    C to_weight[E]{};
    C to_bias[Centred ? E : 1]{};
#pragma unroll
    for (unsigned e = 0; e < E; ++e) {
      if (e < have) weight[e] = load_element(grid_.weight[begin + e]);
    }
    stages_.begin();
    unsigned first = blockIdx.x * grid_.rows_a_block;
#pragma unroll 1
    for (unsigned s = 0; s + 1 < narrow_norm_stages; ++s) stages_.start(first + s * step, s);
    unsigned stage = 0;
    unsigned turn = 0;
#pragma unroll 1
    for (; first < grid_.rows; first += step, ++turn) {
      const unsigned rows_left = grid_.rows - first;
      const unsigned rows = rows_left < grid_.rows_a_block ? rows_left : grid_.rows_a_block;
      const auto target = static_cast<std::size_t>(first) * grid_.columns;
      stages_.wait_for(stage, turn);
      stages_.fetch_results(target, rows * grid_.columns);
      const unsigned later = stage == 0 ? narrow_norm_stages - 1 : stage - 1;
      stages_.start(first + (narrow_norm_stages - 1) * step, later);
      const char* const here = shared_ + stage * grid_.stage_bytes;
      stage = stage + 1 == narrow_norm_stages ? 0 : stage + 1;
      // Threads whose row does not exist read one that does.
      const bool there = place < rows;
      const unsigned mine = there ? have : 0;
      const unsigned at = (there ? place : 0) * grid_.columns + begin;
      const C scale = stages_.number(here, n + 1, there ? place : 0);
      const C centre = Centred ? stages_.number(here, n + 2, there ? place : 0) : C{};
      const auto operands =
          operands_at(Types{}, here, first + (there ? place : 0), at, have > 0 ? begin : 0);
      const T* const gradient = reinterpret_cast<const T*>(here + grid_.place[n]) + at;
      R x[E];
      C h[E];
      C weighted[E];
      C along{};
      C mean{};
#pragma unroll
      for (unsigned b = 0; b < E; b += batch) {
        if (b >= grid_.each) break;
#pragma unroll
        for (unsigned e = b; e < b + batch; ++e) {
          load(x[e], operands, e, e < mine);
          const C value = program_.forward()(detail::NormLane<R, C>{x[e], 0});
          h[e] = e < mine ? (value - centre) * scale : C{};
          const C upstream = e < mine ? load_element(gradient[e]) : C{};
          to_weight[e] += upstream * h[e];
          if constexpr (Centred) to_bias[e] += upstream;
          weighted[e] = upstream * weight[e];
          along += weighted[e] * h[e];
          mean += weighted[e];
        }
      }
#pragma unroll 1
      for (unsigned w = grid_.group / 2; w > 0; w /= 2) {
        along += __shfl_xor_sync(~0U, along, w);
        if constexpr (Centred) mean += __shfl_xor_sync(~0U, mean, w);
      }
      along *= share;
      mean = Centred ? mean * share : C{};
      const auto of = [&](unsigned e) {
        return KnownNormLane<R, C>{x[e], weighted[e], h[e], scale, mean, along};
      };
      if (n > 1 && grid_.whole != nullptr) {
        C* const to = reinterpret_cast<C*>(shared_ + grid_.result[0]) + at;
        for_each_element([&](unsigned e) { return of(e).gradient_of(C{}); },
                         [&](unsigned e, C value) {
                           if (e < mine) to[e] = value;
                         });
      } else if (program_.stores.adds != 0) {
        __syncthreads();  // what fetch_results has fetched
        for_each_element([&](unsigned e) { return program_(of(e)); },
                         [&](unsigned e, const auto& values) {
                           put<true>(values, at + e, e < mine, std::make_index_sequence<k>{});
                         });
      } else {
        for_each_element([&](unsigned e) { return program_(of(e)); },
                         [&](unsigned e, const auto& values) {
                           put<false>(values, at + e, e < mine, std::make_index_sequence<k>{});
                         });
      }
#if __CUDA_ARCH__ >= 900
      publish_to_bulk();
#endif
      __syncthreads();
      stages_.write_results(target, rows * grid_.columns);
    }
#if __CUDA_ARCH__ >= 900
    if (threadIdx.x == 0) wait_bulk_reads<0>();
#endif
    C* const line =
        grid_.sums + static_cast<std::size_t>(blockIdx.x) * (Centred ? 2 : 1) * grid_.columns;
    auto* const tile = reinterpret_cast<C*>(shared_);
    detail::store_narrow_line(to_weight, line, grid_, tile);
    if constexpr (Centred) {
      detail::store_narrow_line(to_bias, line + grid_.columns, grid_, tile);
    }
  }

 private:
  /// An operand's elements of one row from the thread's first on, `step` apart.
  template <class X>
  struct Elements {
    const X* from;
    unsigned step;
  };
  template <class... Xs>
  __device__ __forceinline__ auto operands_at(weft::detail::TypeList<Xs...>, const char* stage,
                                              unsigned row, unsigned at, unsigned column) const {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return pack_of(operand_at<static_cast<int>(I), Xs>(stage, row, at, column)...);
    }
    (std::index_sequence_for<Xs...>{});
  }
  template <int I, class X>
  __device__ __forceinline__ Elements<X> operand_at(const char* stage, unsigned row, unsigned at,
                                                    unsigned column) const {
    const auto* const staged = reinterpret_cast<const X*>(stage + grid_.place[I]) + at;
    if (n == 1 || (grid_.staged >> I & 1U) != 0) return {staged, 1};
    const auto along = static_cast<unsigned>(grid_.along[I]);
    return {reinterpret_cast<const X*>(grid_.data[I] + row * grid_.row[I]) + along * column, along};
  }
  /// Element e of each operand, or another one unless it is `there`: the last row of an operand in
  /// global memory must not be read past its end.
  template <class Operands>
  __device__ __forceinline__ static void load(R& registers, const Operands& operands, unsigned e,
                                              bool there) {
    registers.template load_each<~std::uint64_t{0}>([&]<int I, class X>(Vector<X, 1>& to) {
      const Elements<X>& x = weft::get<I - 1>(operands);
      to.lane[0] = n == 1 ? x.from[e] : x.from[there ? e * x.step : 0];
    });
  }

  template <class Compute, class Put>
  __device__ __forceinline__ void for_each_element(const Compute& compute, const Put& put) const {
#pragma unroll
    for (unsigned b = 0; b < E; b += batch) {
      if (b >= grid_.each) break;
#pragma unroll
      for (unsigned e = b; e < b + batch; ++e) put(e, compute(e));
    }
  }
  /// Puts results at `place` among the block's, if they are `there`.
  template <bool Adds, class Values, std::size_t... J>
  __device__ __forceinline__ void put(const Values& values, unsigned place, bool there,
                                      std::index_sequence<J...>) const {
    (put_one<Adds, static_cast<int>(J), Outs>(weft::get<static_cast<int>(J)>(values), place, there),
     ...);
  }
  template <bool Adds, int J, class Out, class Value>
  __device__ __forceinline__ void put_one(Value value, unsigned place, bool there) const {
    auto* const to = reinterpret_cast<Out*>(shared_ + grid_.result[J]) + place;
    if (!there) return;
    if (Adds && (program_.stores.adds >> J & 1U) != 0) value += load_element(*to);
    *to = store_element<Out>(value);
  }

  const Grid& grid_;
  const Program& program_;
  char* shared_;
  NormStages<weft::detail::TypeList<Outs...>, Centred, n, Grid, Stores> stages_;
};

template <class Outs, class Types, bool Centred, int E, class Grid, class Program>
__global__ void __launch_bounds__(narrow_norm_threads, 2)
    narrow_norm_gradients(const __grid_constant__ Grid grid,
                          const __grid_constant__ Program program) {
  detail::admit_next_kernel();
  extern __shared__ __align__(128) char weft_norm_shared[];
  NarrowNorm<Outs, Types, Centred, E, Grid, Program>(grid, program, weft_norm_shared).run();
}

}  // namespace weft::on_cuda

#endif

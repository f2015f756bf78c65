// The kernel that computes all gradients of a statement, and starts the sums of broadcast operands.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/elementwise/multi_output.hpp"
#include "weft/cuda/gradient/plan.hpp"
#include "weft/cuda/gradient/splat.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

namespace detail {

/// One target in a thread: its running sum, if it has one.
template <class Out, class T, int V>
struct Target {
  T sum[V];
};

template <int V, class T>
__device__ __forceinline__ T sum_of_lanes(const Vector<T, V>& values, int last) {
  T total{};
#pragma unroll
  for (int j = 0; j < V; ++j) total += j < last ? values.lane[j] : T{};
  return total;
}
/// The value of the thread `step` lanes above.
template <class T>
__device__ __forceinline__ T from_thread(T value, unsigned step) {
  return __shfl_down_sync(0xFFFFFFFFU, value, step);
}
template <class T>
__device__ __forceinline__ Dual<T> from_thread(Dual<T> x, unsigned step) {
  return {from_thread(x.value, step), from_thread(x.tangent, step)};
}
template <class T>
__device__ __forceinline__ complex<T> from_thread(complex<T> z, unsigned step) {
  return {from_thread(z.re, step), from_thread(z.im, step)};
}
template <class T, int R, int C>
__device__ __forceinline__ Small<T, R, C> from_thread(Small<T, R, C> x, unsigned step) {
#pragma unroll
  for (int k = 0; k < R * C; ++k) x.values[k] = from_thread(x.values[k], step);
  return x;
}
/// The sum over adjacent threads, in the first of them; `width` is a power of two up to 32.
template <class T>
__device__ __forceinline__ T sum_of_threads(T value, int width) {
  for (int step = width / 2; step > 0; step /= 2) {
    value += from_thread(value, static_cast<unsigned>(step));
  }
  return value;
}

/// Where a thread is in the row, and the row.
struct SumPlace {
  long long start;  // the first of its elements
  int last;         // how many of its lanes hold one
  unsigned row;
  int part;  // of the row's sum
};

template <int J, int V, int N, int K>
__device__ __forceinline__ void take_all(weft::detail::TypeList<>, const SumGrid<N, K>&,
                                         const long long*, const SumPlace&, const Pack<>&,
                                         Pack<>&) {}
template <int J, int V, int N, int K, class Out, class... Outs, class T, class... Ts>
__device__ __forceinline__ void take_all(weft::detail::TypeList<Out, Outs...>,
                                         const SumGrid<N, K>& grid, const long long* offset,
                                         const SumPlace& place,
                                         const Pack<Vector<T, V>, Vector<Ts, V>...>& values,
                                         Pack<Target<Out, T, V>, Target<Outs, Ts, V>...>& targets) {
  const SumMode mode = grid.mode[J];
  const Vector<T, V>& value = values.head;
  if (mode == SumMode::store || mode == SumMode::add) {
    Out* out = reinterpret_cast<Out*>(grid.data[J]) + offset[J];
    const bool vector = grid.lane[J] == 1 && place.last == V &&
                        reinterpret_cast<unsigned long long>(out) % (sizeof(Out) * V) == 0;
    if (vector) {
      auto* to = reinterpret_cast<Vector<Out, V>*>(out);
      *to = mode == SumMode::add ? sum_of(value, *to) : stored<Out>(value);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j >= place.last) continue;
        Out& to = out[j * grid.lane[J]];
        to = mode == SumMode::add ? store_element<Out>(load_element(to) + value.lane[j])
                                  : store_element<Out>(value.lane[j]);
      }
    }
  } else if (mode == SumMode::whole) {
    T* out = reinterpret_cast<T*>(grid.sum[J]) + place.row * grid.inner + place.start;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < place.last) out[j] = value.lane[j];
    }
  } else if (mode == SumMode::rows || mode == SumMode::all) {
#pragma unroll
    for (int j = 0; j < V; ++j) targets.head.sum[j] += j < place.last ? value.lane[j] : T{};
  } else if (mode == SumMode::columns) {
    const int width = grid.width < 32 ? grid.width : 32;
    const T total = sum_of_threads(sum_of_lanes<V>(value, place.last), width);
    if (place.part >= 0)
      reinterpret_cast<T*>(grid.sum[J])[place.row * 1LL * grid.parts + place.part] = total;
  }
  take_all<J + 1, V>(weft::detail::TypeList<Outs...>{}, grid, offset, place, values.tail,
                     targets.tail);
}

template <int J, int V, int N, int K>
__device__ __forceinline__ void finish_all(weft::detail::TypeList<>, const SumGrid<N, K>&,
                                           long long, unsigned, bool, const Pack<>&) {}
/// Writes a thread's or a warp's sums. `line` numbers the threads that share columns.
template <int J, int V, int N, int K, class Out, class... Outs, class T, class... Ts>
__device__ __forceinline__ void finish_all(
    weft::detail::TypeList<Out, Outs...>, const SumGrid<N, K>& grid, long long start, unsigned line,
    bool inside, const Pack<Target<Out, T, V>, Target<Outs, Ts, V>...>& targets) {
  T* out = reinterpret_cast<T*>(grid.sum[J]);
  if (grid.mode[J] == SumMode::rows) {
    if (inside) {
      out += line * grid.inner + start;
      if (grid.inner % V == 0) {
        Vector<T, V> sum;
#pragma unroll
        for (int j = 0; j < V; ++j) sum.lane[j] = targets.head.sum[j];
        *reinterpret_cast<Vector<T, V>*>(out) = sum;
      } else {
#pragma unroll
        for (int j = 0; j < V; ++j) {
          if (start + j < grid.inner) out[j] = targets.head.sum[j];
        }
      }
    }
  } else if (grid.mode[J] == SumMode::all) {
    T total{};
#pragma unroll
    for (int j = 0; j < V; ++j) total += targets.head.sum[j];
    total = sum_of_threads(total, 32);
    const unsigned warp =
        (blockIdx.y * gridDim.x + blockIdx.x) * (block_threads / 32) + threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) out[warp] = total;
  }
  finish_all<J + 1, V>(weft::detail::TypeList<Outs...>{}, grid, start, line, inside, targets.tail);
}

template <int V, class Outs, class Values>
struct TargetsOf;
template <int V, class... Outs, class... Ts>
struct TargetsOf<V, weft::detail::TypeList<Outs...>, weft::detail::TypeList<Ts...>> {
  using type = Pack<Target<Outs, Ts, V>...>;
};
}  // namespace detail

namespace detail {
/// Prefetches into L2 what a thread reads in its next row.
template <int N, int K, class... Ts>
__device__ __forceinline__ void fetch_next(weft::detail::TypeList<Ts...>, const SumGrid<N, K>& grid,
                                           const long long* offset) {
  constexpr int bytes[] = {std::is_same_v<Ts, IndexOperand> ? 0 : static_cast<int>(sizeof(Ts))...};
#pragma unroll
  for (int i = 0; i < N - K; ++i) {
    const long long step = grid.outer > 0 ? grid.stride[K + i][0] : 0;
    if (bytes[i] == 0 || grid.lane[K + i] != 1 || step == 0) continue;
    const char* const p = grid.data[K + i] + (offset[K + i] + grid.row_step * step) * bytes[i];
    weft::detail::ptx::prefetch_l2(p);
  }
}

/// Resident blocks per multiprocessor that registers are limited for: a thread waits for each row
/// that it reads, so others must run meanwhile. 8-byte values would spill.
template <int V, int N, class... Ts>
constexpr int least_blocks(weft::detail::TypeList<Ts...>) {
  constexpr bool wide = ((sizeof(Ts) > 4) || ...);
  return wide || N > 16 ? 1 : N <= 8 && V <= 4 ? 4 : 3;
}
}  // namespace detail

/// Computes the targets of a multi-output program, of any strides; summed ones as partial sums.
template <class Outs, class Types, int V, int N, int K, class Program>
__global__ void __launch_bounds__(block_threads,
                                  (detail::least_blocks<V, N>(typename Program::values{})))
    gradient_kernel(const __grid_constant__ SumGrid<N, K> grid,
                    const __grid_constant__ Program program) {
  const unsigned width = static_cast<unsigned>(grid.width);
  const unsigned x = threadIdx.x & (width - 1);
  const long long vector = static_cast<long long>(blockIdx.x) * width + x;
  const bool inside = vector < grid.vectors;
  const long long start = inside ? vector * V : 0;
  const long long left = grid.inner - start;
  const int lanes = !inside ? 0 : left < V ? static_cast<int>(left) : V;
  const unsigned line = blockIdx.y * (block_threads >> grid.shift) + (threadIdx.x >> grid.shift);
  const int part = x % 32 == 0 && inside ? static_cast<int>(vector / 32) : -1;
  typename detail::TargetsOf<V, Outs, typename Program::values>::type targets{};
#pragma unroll 1
  for (unsigned step = 0; step < grid.steps; ++step) {
    const unsigned wanted = line + step * grid.row_step;
    const bool there = wanted < grid.rows;
    const unsigned row = there ? wanted : grid.rows - 1;
    long long offset[N] = {};
    unsigned rest = row;
#pragma unroll 1
    for (int d = 0; d < grid.outer - 1; ++d) {
      const unsigned next = grid.size[d].divide(rest);
      const long long index = rest - next * grid.size[d].divisor;
      rest = next;
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += index * grid.stride[i][d];
    }
    if (grid.outer > 0) {
#pragma unroll
      for (int i = 0; i < N; ++i) offset[i] += rest * grid.stride[i][grid.outer - 1];
    }
#pragma unroll
    for (int i = 0; i < N; ++i) offset[i] += start * grid.lane[i];
    const int last = there ? lanes : 0;
    if (grid.outer < 2 && wanted + grid.row_step < grid.rows && lanes == V) {
      detail::fetch_next(Types{}, grid, offset);
    }
    int lane[N];
#pragma unroll
    for (int i = 0; i < N; ++i) lane[i] = static_cast<int>(grid.lane[i]);
    Registers<Types, V> registers;
    registers.load(grid.data + (K - 1), offset + (K - 1), lane + (K - 1), 0, last);
    using Splats = detail::Splats<Program>;
    const auto& known =
        Splats::of(program, Lane<decltype(registers)>{registers, 0}, lane + (K - 1));
    const auto values = compute_all<Outs, V>(registers, known, 0, last).values;
    detail::take_all<0, V>(Outs{}, grid, offset, {start, last, row, there ? part : -1}, values,
                           targets);
  }
  detail::finish_all<0, V>(Outs{}, grid, start, line, inside, targets);
}

}  // namespace weft::on_cuda

#endif

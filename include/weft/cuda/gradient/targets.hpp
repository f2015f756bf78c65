// Storing, accumulating and summing a thread's gradients.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/elementwise/multi_output.hpp"
#include "weft/cuda/gradient/plan.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

/// One target in a thread: its running sum, if it has one.
template <class Out, class T, int V>
struct Target {
  T sum[V];
};

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
/// The sum over adjacent threads, in the first of them; `width` is a power of two, and a warp's
/// threads are the most that count.
template <class T>
__device__ __forceinline__ T sum_of_threads(T value, int width) {
#pragma unroll
  for (int step = 16; step > 0; step /= 2) {
    const T other = from_thread(value, static_cast<unsigned>(step));
    if (step < width) value += other;
  }
  return value;
}

/// A thread's place in a row.
struct SumPlace {
  int last;       // how many of its lanes hold an element
  bool is_first;  // of those that share a sum along the row
  int part;       // of the row's sum
};

template <int V>
__device__ __forceinline__ void clear_lanes(Pack<>&, int) {}
/// Sets lanes from `last` on to 0.
template <int V, class T, class... Ts>
__device__ __forceinline__ void clear_lanes(Pack<Vector<T, V>, Vector<Ts, V>...>& values,
                                            int last) {
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (j >= last) values.head.lane[j] = T{};
  }
  clear_lanes<V>(values.tail, last);
}

template <int J, int V, int N, int K>
__device__ __forceinline__ void take_all(weft::detail::TypeList<>, const SumGrid<N, K>&, const int*,
                                         const SumPlace&, const Pack<>&, Pack<>&) {}
template <int J, int V, int N, int K, class Out, class... Outs, class T, class... Ts>
__device__ __forceinline__ void take_all(weft::detail::TypeList<Out, Outs...>,
                                         const SumGrid<N, K>& grid, const int* offset,
                                         const SumPlace& place,
                                         const Pack<Vector<T, V>, Vector<Ts, V>...>& values,
                                         Pack<Target<Out, T, V>, Target<Outs, Ts, V>...>& targets) {
  const SumMode mode = grid.mode[J];
  const Vector<T, V>& value = values.head;
  const SumOperand& x = grid.operand[J];
  if (mode >= SumMode::rows) {
#pragma unroll
    for (int j = 0; j < V; ++j) targets.head.sum[j] += value.lane[j];
  } else if (mode == SumMode::columns) {
    T total{};
#pragma unroll
    for (int j = 0; j < V; ++j) total += value.lane[j];
    total = sum_of_threads(total, static_cast<int>(grid.width.divisor));
    if (place.is_first) reinterpret_cast<T*>(x.data)[offset[J] + place.part] = total;
  } else if (mode == SumMode::whole) {
    T* out = reinterpret_cast<T*>(x.data) + offset[J];
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j < place.last) out[j] = value.lane[j];
    }
  } else if (mode != SumMode::skip) {
    Out* out = reinterpret_cast<Out*>(x.data) + offset[J];
    const bool adds = mode == SumMode::add;
    const auto is_aligned = [&] {
      return x.lane == 1 && reinterpret_cast<std::uintptr_t>(out) % (sizeof(Out) * V) == 0;
    };
    if (place.last == V && (x.whole || is_aligned())) {
      auto* to = reinterpret_cast<Vector<Out, V>*>(out);
      Vector<Out, V> result = stored<Out>(value);
      if (adds) result = sum_of(value, *to);
      *to = result;
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j >= place.last) continue;
        Out& to = out[j * x.lane];
        to = store_element<Out>(adds ? load_element(to) + value.lane[j] : value.lane[j]);
      }
    }
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
      out += line * grid.pitch + start;
      if (grid.pitch % V == 0 && grid.inner % V == 0) {
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

}  // namespace weft::on_cuda::detail

#endif

// WarpTile: the elements that a warp scans at a time, in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/vector.hpp"
#include "weft/ops/order/scanners.hpp"

#if defined(__CUDACC__)
#include <cub/util_ptx.cuh>

namespace weft::on_cuda {

namespace detail {

/// Elements p[j * stride] below `last` of a vector that is not read again soon.
template <class T, int V>
__device__ __forceinline__ void load_once(Vector<T, V>& out, const T* p, int stride, int last) {
  if constexpr (sizeof(Vector<T, V>) == 16) {
    if (stride == 1 && last == V && reinterpret_cast<unsigned long long>(p) % 16 == 0) {
      const ::uint4 bits = __ldcs(reinterpret_cast<const ::uint4*>(p));
      __builtin_memcpy(&out, &bits, 16);
      return;
    }
  }
  on_cuda::load(out, reinterpret_cast<const char*>(p), 0, stride, 0, last);
}
/// The same way back.
template <class T, int V>
__device__ __forceinline__ void store_once(const Vector<T, V>& in, T* p, int last) {
  if constexpr (sizeof(Vector<T, V>) == 16) {
    if (last == V && reinterpret_cast<unsigned long long>(p) % 16 == 0) {
      ::uint4 bits;
      __builtin_memcpy(&bits, &in, 16);
      __stcs(reinterpret_cast<::uint4*>(p), bits);
      return;
    }
  }
  on_cuda::store(in, reinterpret_cast<char*>(p), 0, 1, 0, last);
}

/// Whether a scan's states are sums relative to a maximum, which a join has to compare and rescale:
/// with one maximum for all of a warp's elements, an addition joins them.
template <class S, class C>
inline constexpr bool is_relative = std::is_same_v<C, float>&& requires {
  requires S::is_relative;
};
/// How far apart elements summed relative to the largest may be: the smallest one loses less than
/// 2e-6 of its term.
inline constexpr float relative_range = 12.0F;

/// The largest and the smallest of a thread's elements, and whether all are finite.
struct Extremes {
  float most = -math::infinity<float>;
  float least = math::infinity<float>;
  float probe = 0;  // NaN behind an element that is not finite

  __device__ __forceinline__ void take(float x) {
    most = ::fmaxf(most, x);
    least = ::fminf(least, x);
    probe = ::fmaf(x, 0.0F, probe);
  }
  /// Among `width` neighbouring threads; true for a warp all of whose groups are close together.
  __device__ __forceinline__ bool join(unsigned width) {
#pragma unroll 1
    for (unsigned d = 1; d < width; d *= 2) {
      most = ::fmaxf(most, __shfl_xor_sync(0xFFFFFFFFU, most, static_cast<int>(d)));
      least = ::fminf(least, __shfl_xor_sync(0xFFFFFFFFU, least, static_cast<int>(d)));
    }
    return __all_sync(0xFFFFFFFFU, probe == 0 && !(most - least > relative_range)) != 0;
  }
};

/// A scan's values, stored as they are.
struct AsScanned {
  template <class Out>
  using value = Out;
  template <class Out, int V>
  __device__ __forceinline__ static Vector<Out, V> stored(int, const Vector<Out, V>& values, int) {
    return values;
  }
};

/// What a warp scans at a time: R vectors of V neighbours a thread, the warp's vectors next to each
/// other.
template <class S, class In, int V, int R>
struct WarpTile {
  using C = compute_t<In>;
  using State = typename S::template State<C>;
  static constexpr int lanes = V;
  static constexpr int items = 32 * V * R;

  State part[R][V];  // joined from its vector's start
  State before[R];   // what is before the vector in the warp's tile
  State total;       // of all the warp's elements
  bool even =
      false;  // each part's sum is relative to the total's maximum, and from the warp's start

  __device__ __forceinline__ static int place(int r) {
    return (r * 32 + static_cast<int>(threadIdx.x % 32)) * V;
  }

  /// Loads `count` elements (or all, if it is larger) from `data`, which the warp shares.
  __device__ __forceinline__ static void load(Vector<In, V> (&in)[R], const In* data, int stride,
                                              int64_t count) {
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t start = place(r);
      const int64_t left = count - start;
      load_once(in[r], data + start * stride, stride, left < V ? static_cast<int>(left) : V);
    }
  }

  /// Scans the first `count` of the elements, or all where that is known.
  template <bool Whole = false>
  __device__ __forceinline__ void scan(const Vector<In, V> (&in)[R], int64_t count) {
    if constexpr (is_relative<S, C>) {
      even = scan_relative<Whole>(in, count);
      if (even) return;
    }
    const unsigned lane = threadIdx.x % 32;
    State whole[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t left = count - place(r);
#pragma unroll
      for (int j = 0; j < V; ++j) {
        const State x = Whole || j < left ? S::enter(load_element(in[r].lane[j]))
                                          : S::template identity<State>();
        part[r][j] = j == 0 ? x : S::join(part[r][j > 0 ? j - 1 : 0], x);
      }
      whole[r] = part[r][V - 1];
    }
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const State earlier = cub::ShuffleUp<32>(whole[r], d, 0, 0xFFFFFFFFU);
        if (lane >= static_cast<unsigned>(d)) whole[r] = S::join(earlier, whole[r]);
      }
    }
    total = S::template identity<State>();
#pragma unroll
    for (int r = 0; r < R; ++r) {
      State mine = cub::ShuffleUp<32>(whole[r], 1, 0, 0xFFFFFFFFU);
      if (lane == 0) mine = S::template identity<State>();
      before[r] = S::join(total, mine);
      total = S::join(total, cub::ShuffleIndex<32>(whole[r], 31, 0xFFFFFFFFU));
    }
  }

  /// The same by additions; false where elements are far apart or not finite.
  template <bool Whole>
  __device__ __forceinline__ bool scan_relative(const Vector<In, V> (&in)[R], int64_t count) {
    const auto inside = [&](int r, int j) { return Whole || j < count - place(r); };
    Extremes extremes;
#pragma unroll
    for (int r = 0; r < R; ++r) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (inside(r, j)) extremes.take(load_element(in[r].lane[j]));
      }
    }
    if (!extremes.join(32)) return false;
    const unsigned lane = threadIdx.x % 32;
    C whole[R];
#pragma unroll
    for (int r = 0; r < R; ++r) {
      C sum = 0;
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (inside(r, j)) sum += math::exp_of_term(load_element(in[r].lane[j]) - extremes.most);
        part[r][j].max = extremes.most;
        part[r][j].sum = sum;
      }
      whole[r] = sum;
    }
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
#pragma unroll
      for (int r = 0; r < R; ++r) {
        const C earlier = __shfl_up_sync(0xFFFFFFFFU, whole[r], d);
        if (lane >= static_cast<unsigned>(d)) whole[r] += earlier;
      }
    }
    C all = 0;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const C mine = __shfl_up_sync(0xFFFFFFFFU, whole[r], 1);
      const C first = all + (lane == 0 ? C(0) : mine);
#pragma unroll
      for (int j = 0; j < V; ++j) part[r][j].sum += first;
      before[r] = S::template identity<State>();
      all += __shfl_sync(0xFFFFFFFFU, whole[r], 31);
    }
    total.max = extremes.most;
    total.sum = all;
    return true;
  }

  /// The elements of a vector behind `prefix` and, within the block, behind `earlier`.
  template <class Out, class Prefix>
  __device__ __forceinline__ Vector<Out, V> finish(int r, const Prefix& prefix,
                                                   const State& earlier) const {
    Vector<Out, V> values;
    if constexpr (is_relative<S, C>) {
      const State start = S::join(prefix, earlier);
      if (even && start.max < math::infinity<C>) {
        const C most = ::fmaxf(start.max, total.max);
        const C sum =
            start.max > -math::infinity<C> ? start.sum * math::exp_of_term(start.max - most) : C(0);
        const C scale = math::exp_of_term(total.max - most);
#pragma unroll
        for (int j = 0; j < V; ++j) {
          values.lane[j] = store_element<Out>(most + math::log(sum + scale * part[r][j].sum));
        }
        return values;
      }
    }
    const State first = S::join(earlier, before[r]);
#pragma unroll
    for (int j = 0; j < V; ++j) {
      values.lane[j] =
          store_element<Out>(S::finish(scanner::after<S>(prefix, S::join(first, part[r][j]))));
    }
    return values;
  }

  /// Writes the elements behind `prefix` and, within the block, behind `earlier`, as `after` makes
  /// them of the scan's values.
  template <class Out, class Prefix, class After = AsScanned>
  __device__ __forceinline__ void store(Out* out, int64_t count, const Prefix& prefix,
                                        const State& earlier, After&& after = {}) const {
    using Value = typename std::remove_cvref_t<After>::template value<Out>;
#pragma unroll
    for (int r = 0; r < R; ++r) {
      const int64_t left = count - place(r);
      const int last = left < V ? static_cast<int>(left) : V;
      store_once(after.template stored<Out>(r, finish<Value>(r, prefix, earlier), last),
                 out + place(r), last);
    }
  }
};

}  // namespace detail

}  // namespace weft::on_cuda

#endif

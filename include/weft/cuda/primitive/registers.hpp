// Registers: the vectors of all operands that a thread holds, and a program's values from them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/alike.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// A thread's vectors of all operands, whose element types Types lists.
template <class Types, int V>
struct Registers;

template <class... Ts, int V>
struct Registers<weft::detail::TypeList<Ts...>, V> {
  Pack<Vector<Ts, V>...> values;
  std::uint64_t alike = 0;  // bit I: the lanes of Arg<I> are known to be one element
  unsigned row_starts = 0;  // bit j: lane j is the first of a row, and not the first lane

  /// Loads every operand at offset[k] with the given strides along the lanes.
  template <class Offset, class Copies = InPlace>
  __device__ __forceinline__ void load(char* const* data, const Offset* offset, const int* stride,
                                       int first, int last, const Copies& copies = {}) {
    load_from<1>(values, data, offset, stride, first, last, copies);
  }
  /// The same for full vectors, which are aligned or one element for all lanes; those in `apart`
  /// are neither, those in Splats always one element. See load_aligned of a vector for Words.
  template <std::uint64_t Splats, bool Words>
  __device__ __forceinline__ void load_aligned(char* const* data, const int* offset,
                                               const int* stride, std::uint64_t apart,
                                               RowEnds ends) {
    load_aligned_from<1, Splats, Words>(values, data, offset, stride, apart, ends);
  }
  /// Calls load.template operator()<I>(vector) for the operand of each Arg<I> that Uses names.
  template <std::uint64_t Uses, class F>
  __device__ __forceinline__ void load_each(const F& load) {
    load_each_from<1, Uses>(values, load);
  }
  /// Whether each operand of positions has neighbours, from a multiple of V on. The compiler then
  /// knows it of `values`.
  __device__ __forceinline__ bool align_positions() { return align_all(values); }

 private:
  __device__ __forceinline__ static bool align_all(Pack<>&) { return true; }
  template <class Head, class... Tail>
  __device__ __forceinline__ static bool align_all(Pack<Head, Tail...>& values) {
    if constexpr (std::is_same_v<Head, Vector<IndexOperand, V>>) {
      auto& lane = values.head.lane;
      if (lane[0] % V != 0 || lane[V - 1] - lane[0] != V - 1) return false;
      long long first = lane[0];
      weft::detail::ptx::forget_origin(first);  // or the next line would be dropped
      first &= -V;
#pragma unroll
      for (int j = 0; j < V; ++j) lane[j] = first | j;
    }
    return align_all(values.tail);
  }
  template <int K, std::uint64_t Uses, class Head, class... Tail, class F>
  __device__ __forceinline__ static void load_each_from(Pack<Head, Tail...>& values,
                                                        const F& load) {
    if constexpr ((Uses >> K & 1U) != 0) load.template operator()<K>(values.head);
    if constexpr (sizeof...(Tail) > 0) load_each_from<K + 1, Uses>(values.tail, load);
  }
  template <int K, std::uint64_t Splats, bool Words, class Head, class... Tail>
  __device__ __forceinline__ static void load_aligned_from(Pack<Head, Tail...>& values,
                                                           char* const* data, const int* offset,
                                                           const int* stride, std::uint64_t apart,
                                                           RowEnds ends) {
    const int along = (Splats >> K & 1U) != 0 ? 0 : stride[K];
    on_cuda::load_aligned<Words>(values.head, data[K], offset[K], along,
                                 (apart & std::uint64_t{1} << K) != 0, ends.of(K));
    if constexpr (sizeof...(Tail) > 0) {
      load_aligned_from<K + 1, Splats, Words>(values.tail, data, offset, stride, apart, ends);
    }
  }
  template <int, std::uint64_t, bool>
  __device__ __forceinline__ static void load_aligned_from(Pack<>&, char* const*, const int*,
                                                           const int*, std::uint64_t, RowEnds) {}
  template <int K, class Offset, class Copies, class Head, class... Tail>
  __device__ __forceinline__ static void load_from(Pack<Head, Tail...>& values, char* const* data,
                                                   const Offset* offset, const int* stride,
                                                   int first, int last, const Copies& copies) {
    on_cuda::load<K>(values.head, data[K], offset[K], stride[K], first, last, copies);
    if constexpr (sizeof...(Tail) > 0) {
      load_from<K + 1>(values.tail, data, offset, stride, first, last, copies);
    }
  }
  template <int, class Offset, class Copies>
  __device__ __forceinline__ static void load_from(Pack<>&, char* const*, const Offset*, const int*,
                                                   int, int, const Copies&) {}
};

/// One lane of the registers, as programs read it; Words: see load_aligned.
template <class R, bool Words = true>
struct Lane {
  const R& registers;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return lane_value<Words>(weft::get<I - 1>(registers.values), j);
  }
};

template <int V, class R>
struct PlacedLanes;  // in cuda/primitive/placed.hpp

namespace detail {
template <class Out, int V, class R, class Program>
__device__ __forceinline__ Vector<Out, V> compute_lanes(const R& registers, const Program& program,
                                                        int first, int last) {
  if constexpr (has_places<Program>) {
    return PlacedLanes<V, R>{registers, first, last}.template stored<Out>(program);
  } else {
    Vector<Out, V> out;
    if constexpr (V > 1 && has_costly_part<Program> && !has_draws<Program>) {
      const auto lane = [&](int j) { return Lane<R>{registers, j}; };
      typename Program::type x[V];
      run_lanes<V>(program, lane, registers.alike, V, x);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(x[j]);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (has_effects<Program> && (j < first || j >= last)) continue;
        out.lane[j] = stored_value<Out>(program, Lane<R, !has_effects<Program>>{registers, j});
      }
    }
    return out;
  }
}
}  // namespace detail

/// The program at lanes first <= j < last, and at others if that is harmless.
template <class Out, int V, class R, class Program>
__device__ __forceinline__ Vector<Out, V> compute(const R& registers, const Program& program,
                                                  int first, int last) {
  if constexpr (has_draws<Program>) {
    Program resolved = program;
    resolve_draws(resolved);
    R aligned = registers;
    if (V > 1 && aligned.align_positions()) {  // so that lanes share blocks of random bits
      return detail::compute_lanes<Out, V>(aligned, resolved, first, last);
    }
    return detail::compute_lanes<Out, V>(registers, resolved, first, last);
  } else {
    return detail::compute_lanes<Out, V>(registers, program, first, last);
  }
}

namespace detail {
template <int V, class R>
__device__ __forceinline__ Pack<> compute_each(weft::detail::TypeList<>, const R&, const Pack<>&,
                                               int, int) {
  return {};
}
template <int V, class Out, class... Outs, class R, class Program, class... Programs>
__device__ __forceinline__ Pack<Vector<Out, V>, Vector<Outs, V>...> compute_each(
    weft::detail::TypeList<Out, Outs...>, const R& registers,
    const Pack<Program, Programs...>& programs, int first, int last) {
  return {
      compute<Out, V>(registers, programs.head, first, last),
      compute_each<V>(weft::detail::TypeList<Outs...>{}, registers, programs.tail, first, last)};
}
}  // namespace detail

/// The same for each of several targets, where Out is a TypeList and Program a Pack.
template <class Out, int V, class R, class Program>
__device__ __forceinline__ auto compute_all(const R& registers, const Program& program, int first,
                                            int last) {
  if constexpr (1 < weft::detail::target_count<Out>) {
    return detail::compute_each<V>(Out{}, registers, program, first, last);
  } else {
    return compute<Out, V>(registers, program, first, last);
  }
}

/// Stores a vector for each target.
__device__ __forceinline__ void store_all(const Pack<>&, char* const*, const int*, const int*, int,
                                          int) {}
template <class T, int V>
__device__ __forceinline__ void store_all(const Vector<T, V>& in, char* const* data,
                                          const int* offset, const int* stride, int first,
                                          int last) {
  store(in, data[0], offset[0], stride[0], first, last);
}
template <class Head, class... Tail>
__device__ __forceinline__ void store_all(const Pack<Head, Tail...>& in, char* const* data,
                                          const int* offset, const int* stride, int first,
                                          int last) {
  store(in.head, data[0], offset[0], stride[0], first, last);
  store_all(in.tail, data + 1, offset + 1, stride + 1, first, last);
}
/// The same for vectors known to be full and aligned.
__device__ __forceinline__ void store_aligned(const Pack<>&, char* const*, const int*) {}
template <class T, int V>
__device__ __forceinline__ void store_aligned(const Vector<T, V>& in, char* const* data,
                                              const int* offset) {
  reinterpret_cast<Vector<T, V>*>(data[0])[offset[0] / V] = in;
}
template <class Head, class... Tail>
__device__ __forceinline__ void store_aligned(const Pack<Head, Tail...>& in, char* const* data,
                                              const int* offset) {
  store_aligned(in.head, data, offset);
  store_aligned(in.tail, data + 1, offset + 1);
}

/// Statements on Small, in cuda/small/for_each.hpp: their elements go through shared memory.
template <class Out, class Types, class Program>
struct SmallStatement;

template <class... Ts>
constexpr bool any_small(weft::detail::TypeList<Ts...>) {
  return (is_small<Ts> || ...);
}
template <class Out, class Types>
inline constexpr bool has_small = is_small<Out> || any_small(Types{}) || [] {
  if constexpr (1 < weft::detail::target_count<Out>) return any_small(Out{});
  return false;
}();

}  // namespace weft::on_cuda

#endif

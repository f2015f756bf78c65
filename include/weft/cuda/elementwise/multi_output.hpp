// Multi-output programs in a kernel: a thread's vectors of all targets, stored or accumulated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "weft/cuda/primitive/registers.hpp"
#include "weft/eval/program/multi_output.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// The values of several targets of element types Outs, in the types they were computed in.
template <class Outs, class Values, int V>
struct MultiOutputVectors;
template <class... Outs, class... Values, int V>
struct MultiOutputVectors<weft::detail::TypeList<Outs...>, weft::detail::TypeList<Values...>, V> {
  Pack<Vector<Values, V>...> values;
  Stores stores;
};

namespace detail {
template <int V>
__device__ __forceinline__ void set_lanes(Pack<>&, const Pack<>&, int) {}
template <int V, class T, class... Ts>
__device__ __forceinline__ void set_lanes(Pack<Vector<T, V>, Vector<Ts, V>...>& vectors,
                                          const Pack<T, Ts...>& values, int j) {
  vectors.head.lane[j] = values.head;
  set_lanes<V>(vectors.tail, values.tail, j);
}

template <int V>
__device__ __forceinline__ void read_lanes(Pack<>&, const Pack<>&, int) {}
template <int V, class T, class... Ts>
__device__ __forceinline__ void read_lanes(Pack<T, Ts...>& values,
                                           const Pack<Vector<T, V>, Vector<Ts, V>...>& vectors,
                                           int j) {
  values.head = vectors.head.lane[j];
  read_lanes<V>(values.tail, vectors.tail, j);
}
template <int V, class... Ts>
__device__ __forceinline__ Pack<Ts...> values_at(const Pack<Vector<Ts, V>...>& vectors, int j) {
  Pack<Ts...> out;
  read_lanes<V>(out, vectors, j);
  return out;
}

/// A program that may add some of its values to others, once it has them.
template <class Program, class Inputs>
concept MergingProgram = requires(const Program& program, const Inputs& inputs) {
  program.separate(inputs);
  { program.merges } -> std::convertible_to<bool>;
};

template <int V, class Values, class R, class Program>
__device__ __forceinline__ void compute_outputs(Values& values, const R& registers,
                                                const Program& program, int first, int last) {
  constexpr bool may_merge = MergingProgram<Program, Lane<R>>;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (has_effects<Program> && (j < first || j >= last)) continue;
    if constexpr (may_merge) {
      set_lanes<V>(values, program.separate(Lane<R>{registers, j}), j);
    } else {
      set_lanes<V>(values, program(Lane<R>{registers, j}), j);
    }
  }
  if constexpr (may_merge) {
    if (!program.merges) return;  // one branch for all lanes
#pragma unroll
    for (int j = 0; j < V; ++j) {
      auto lane = values_at<V>(values, j);
      program.merge(lane);
      set_lanes<V>(values, lane, j);
    }
  }
}

template <class Out, class T, int V>
__device__ __forceinline__ Vector<Out, V> stored(const Vector<T, V>& values) {
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) out.lane[j] = store_element<Out>(values.lane[j]);
  return out;
}
template <class Out, class T, int V>
__device__ __forceinline__ Vector<Out, V> sum_of(const Vector<T, V>& values,
                                                 const Vector<Out, V>& old) {
  Vector<Out, V> out;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    out.lane[j] = store_element<Out>(load_element(old.lane[j]) + values.lane[j]);
  }
  return out;
}

__device__ __forceinline__ void store_outputs(weft::detail::TypeList<>, const Pack<>&, Stores,
                                              char* const*, const int*, const int*, int, int) {}
template <class Out, class... Outs, class T, class... Ts, int V>
__device__ __forceinline__ void store_outputs(weft::detail::TypeList<Out, Outs...>,
                                              const Pack<Vector<T, V>, Vector<Ts, V>...>& values,
                                              Stores stores, char* const* data, const int* offset,
                                              const int* stride, int first, int last) {
  if ((stores.wanted & 1U) != 0) {
    if ((stores.adds & 1U) != 0) {
      Vector<Out, V> old;
      load(old, data[0], offset[0], stride[0], first, last);
      store(sum_of(values.head, old), data[0], offset[0], stride[0], first, last);
    } else {
      store(stored<Out>(values.head), data[0], offset[0], stride[0], first, last);
    }
  }
  store_outputs(weft::detail::TypeList<Outs...>{}, values.tail, stores.next(), data + 1, offset + 1,
                stride + 1, first, last);
}

template <bool Apart, class Out, class... Outs, class T, class... Ts, int V>
__device__ __forceinline__ void store_outputs_aligned(
    weft::detail::TypeList<Out, Outs...>, const Pack<Vector<T, V>, Vector<Ts, V>...>& values,
    Stores stores, char* const* data, const int* offset, const int* stride, unsigned apart) {
  if (Apart && sizeof(Out) >= 4 && (apart & 1U) != 0) {
    Out* const out = reinterpret_cast<Out*>(data[0]) + offset[0];
    const bool adds = (stores.adds & 1U) != 0;
    if ((stores.wanted & 1U) != 0) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        Out& to = out[j * stride[0]];
        to =
            store_element<Out>(adds ? load_element(to) + values.head.lane[j] : values.head.lane[j]);
      }
    }
  } else if ((stores.wanted & 1U) != 0) {
    auto* out = reinterpret_cast<Vector<Out, V>*>(reinterpret_cast<Out*>(data[0]) + offset[0]);
    *out = (stores.adds & 1U) != 0 ? sum_of(values.head, *out) : stored<Out>(values.head);
  }
  if constexpr (sizeof...(Outs) > 0) {
    store_outputs_aligned<Apart>(weft::detail::TypeList<Outs...>{}, values.tail, stores.next(),
                                 data + 1, offset + 1, stride + 1, apart >> 1);
  }
}
}  // namespace detail

/// A multi-output program at lanes first <= j < last, and at others if that is harmless.
template <class Outs, int V, class R, MultiOutputProgram Program>
__device__ __forceinline__ auto compute_all(const R& registers, const Program& program, int first,
                                            int last) {
  MultiOutputVectors<Outs, typename Program::values, V> out;
  out.stores = program.stores;
  if constexpr (has_draws<Program>) {
    Program resolved = program;
    resolve_draws(resolved);
    R aligned = registers;
    if (V > 1 && aligned.align_positions()) {  // so that lanes share blocks of random bits
      detail::compute_outputs<V>(out.values, aligned, resolved, first, last);
    } else {
      detail::compute_outputs<V>(out.values, registers, resolved, first, last);
    }
  } else {
    detail::compute_outputs<V>(out.values, registers, program, first, last);
  }
  return out;
}

template <class Outs, class Values, int V>
__device__ __forceinline__ void store_all(const MultiOutputVectors<Outs, Values, V>& in,
                                          char* const* data, const int* offset, const int* stride,
                                          int first, int last) {
  detail::store_outputs(Outs{}, in.values, in.stores, data, offset, stride, first, last);
}
template <class Outs, class Values, int V>
__device__ __forceinline__ void store_aligned(const MultiOutputVectors<Outs, Values, V>& in,
                                              char* const* data, const int* offset) {
  detail::store_outputs_aligned<false>(Outs{}, in.values, in.stores, data, offset, offset, 0);
}
/// The same; targets with a bit in `apart` are neither aligned nor contiguous.
template <class Outs, class Values, int V>
__device__ __forceinline__ void store_apart(const MultiOutputVectors<Outs, Values, V>& in,
                                            char* const* data, const int* offset, const int* stride,
                                            unsigned apart) {
  detail::store_outputs_aligned<true>(Outs{}, in.values, in.stores, data, offset, stride, apart);
}

}  // namespace weft::on_cuda

#endif

// Programs over a thread's vector: slices that one index names move 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/vector.hpp"
#include "weft/ops/gather.hpp"
#include "weft/ops/scatter.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

/// The bytes of the widest element that a program reads or writes by indices along an axis; 0 where
/// it does neither.
template <class P>
inline constexpr int row_bytes = 0;

namespace detail {
template <class... Ps>
constexpr int widest_row(int bytes) {
  ((bytes = row_bytes<Ps> > bytes ? row_bytes<Ps> : bytes), ...);
  return bytes;
}
}  // namespace detail

template <class Op, class... Ps>
inline constexpr int row_bytes<Apply<Op, Ps...>> = detail::widest_row<Ps...>(0);
template <class T, class... Ps>
inline constexpr int row_bytes<Apply<op::gathered<T, AlongAxis>, Ps...>> =
    detail::widest_row<Ps...>(static_cast<int>(sizeof(T)));

/// Elements a thread: 16 bytes of what is gathered and of the target, though indices be wider.
template <class Out, class Types>
constexpr int lanes_of_rows(int bytes) {
  const int widest = bytes > static_cast<int>(sizeof(Out)) ? bytes : static_cast<int>(sizeof(Out));
  int lanes = 16 / widest;
  while (lanes > 64 / (16 / lanes_of<Out>(Types{}))) lanes /= 2;
  return lanes;
}

/// Values of a program at a thread's elements.
template <class T, int V>
struct Values {
  T lane[V];
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool adds_vectors = true;
#else
inline constexpr bool adds_vectors = false;
#endif

/// *p and its neighbours += values; p is a multiple of the whole vector's bytes.
template <class T, int V>
__device__ __forceinline__ void add_vector(T* p, const Values<compute_t<T>, V>& values) {
  if constexpr (adds_vectors && std::is_same_v<T, float> && V == 4) {
    asm volatile("red.global.add.v4.f32 [%0], {%1, %2, %3, %4};" ::"l"(p), "f"(values.lane[0]),
                 "f"(values.lane[1]), "f"(values.lane[2]), "f"(values.lane[3])
                 : "memory");
  } else if constexpr (adds_vectors && is_half<T> && V == 8) {
    unsigned pair[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned high = T(values.lane[2 * j + 1]).bits;
      pair[j] = T(values.lane[2 * j]).bits | high << 16;
    }
    if constexpr (std::is_same_v<T, weft::half>) {
      asm volatile("red.global.add.noftz.v4.f16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(pair[0]),
                   "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                   : "memory");
    } else {
      asm volatile("red.global.add.noftz.v4.bf16x2 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(pair[0]),
                   "r"(pair[1]), "r"(pair[2]), "r"(pair[3])
                   : "memory");
    }
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) weft::detail::atomic_add(p + j, values.lane[j]);
  }
}

/// Runs a program at lanes first <= j < last of a thread's registers.
template <int V, class R>
struct Lanes {
  const R& registers;
  int first;
  int last;

  /// The program's values; anything beyond the lanes.
  template <class P>
  __device__ __forceinline__ Values<typename P::type, V> operator()(const P& program) const {
    if constexpr (row_bytes < P >> 0) {
      return node(program);
    } else {
      Values<typename P::type, V> out{};
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (!has_effects<P> || contains(j)) out.lane[j] = program(Lane<R>{registers, j});
      }
      return out;
    }
  }

  /// Writes what a scatter writes.
  template <template <class, class> class Op, class T, class... Ps>
  __device__ __forceinline__ void write(const Apply<Op<T, AlongAxis>, Ps...>& program) const {
    const auto offset = (*this)(get<0>(program.programs));
    const auto index = (*this)(get<1>(program.programs));
    const auto value = (*this)(get<2>(program.programs));
    const Op<T, AlongAxis>& op = program.op;
    if (!is_row(offset, index)) return write_each(op, offset, index, value);
    long long at = offset.lane[0];
    if (!op.finder.find(at, index.lane[0])) return;
    T* p = op.data + at;
    if (!is_aligned(p)) return write_each(op, offset, index, value);
    if constexpr (std::is_same_v<Op<T, AlongAxis>, op::add_at<T, AlongAxis>>) {
      add_vector(p, value);
    } else {
      Vector<T, V> out;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = static_cast<T>(value.lane[j]);
      *reinterpret_cast<Vector<T, V>*>(p) = out;
    }
  }
  template <template <class, class> class Op, class T, class... Ps>
  __device__ __forceinline__ void write(const Apply<Op<T, AtPosition>, Ps...>& program) const {
    write_each(program.op, (*this)(get<0>(program.programs)), (*this)(get<1>(program.programs)),
               (*this)(get<2>(program.programs)));
  }

 private:
  __device__ __forceinline__ bool contains(int j) const { return j >= first && j < last; }

  /// True when all lanes hold elements, of one slice that lie side by side.
  template <class I>
  __device__ __forceinline__ bool is_row(const Values<long long, V>& offset,
                                         const Values<I, V>& index) const {
    bool row = first == 0 && last == V;
#pragma unroll
    for (int j = 1; j < V; ++j) {
      row = row && index.lane[j] == index.lane[0] && offset.lane[j] == offset.lane[0] + j;
    }
    return row;
  }
  template <class T>
  __device__ __forceinline__ static bool is_aligned(const T* p) {
    return reinterpret_cast<unsigned long long>(p) % (sizeof(T) * V) == 0;
  }

  template <class Op, class I, class C>
  __device__ __forceinline__ void write_each(const Op& op, const Values<long long, V>& offset,
                                             const Values<I, V>& index,
                                             const Values<C, V>& value) const {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (contains(j)) op.value(offset.lane[j], index.lane[j], value.lane[j]);
    }
  }

  template <class Op, class... Ps>
  __device__ __forceinline__ auto node(const Apply<Op, Ps...>& program) const {
    return apply(program, std::make_index_sequence<sizeof...(Ps)>{});
  }
  template <class Op, class... Ps, std::size_t... K>
  __device__ __forceinline__ auto apply(const Apply<Op, Ps...>& program,
                                        std::index_sequence<K...>) const {
    return combine<typename Apply<Op, Ps...>::type>(
        program.op, (*this)(get<static_cast<int>(K)>(program.programs))...);
  }
  template <class T, class Op, class... Vs>
  __device__ __forceinline__ Values<T, V> combine(const Op& op, const Vs&... values) const {
    Values<T, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = op.value(values.lane[j]...);
    return out;
  }
  template <class T, class Offsets, class Index>
  __device__ __forceinline__ Values<compute_t<T>, V> node(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program) const {
    const auto offset = (*this)(get<0>(program.programs));
    const auto index = (*this)(get<1>(program.programs));
    const op::gathered<T, AlongAxis>& op = program.op;
    Values<compute_t<T>, V> out{};
    long long at = offset.lane[0];
    if (!is_row(offset, index)) {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (contains(j)) out.lane[j] = op.value(offset.lane[j], index.lane[j]);
      }
    } else if (!op.finder.find(at, index.lane[0])) {
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = op.none();
    } else if (is_aligned(op.data + at)) {
      const auto row = *reinterpret_cast<const Vector<T, V>*>(op.data + at);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = load_element(row.lane[j]);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = load_element(op.data[at + j]);
    }
    return out;
  }
};

}  // namespace weft::cuda

#endif

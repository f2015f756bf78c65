// Registers of a kernel: several neighbouring elements of each operand, moved 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/eval/program.hpp"

#if defined(__CUDACC__)

namespace weft::cuda {

/// V elements that one load or store moves.
template <class T, int V>
struct alignas(sizeof(T) * V) Vector {
  T lane[V];
};
template <int V>
struct Vector<Position, V> {
  long long lane[V];
};

namespace detail {
template <class... Ts>
constexpr int widest(weft::detail::TypeList<Ts...>) {
  int bytes = 1;
  ((bytes = !std::is_same_v<Ts, Position> && static_cast<int>(sizeof(Ts)) > bytes
                ? static_cast<int>(sizeof(Ts))
                : bytes),
   ...);
  return bytes;
}
}  // namespace detail

/// Elements a thread: 16 bytes of the widest operand.
template <class Out, class... Ts>
constexpr int lanes_of(weft::detail::TypeList<Ts...>) {
  return 16 / detail::widest(weft::detail::TypeList<Out, Ts...>{});
}

/// Elements at data[offset + j * stride] for lanes first <= j < last; the whole vector at once
/// where it is full, contiguous and aligned.
template <class T, int V, class Offset>
__device__ __forceinline__ void load(Vector<T, V>& out, const char* data, Offset offset, int stride,
                                     int first, int last) {
  if constexpr (std::is_same_v<T, Position>) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = reinterpret_cast<long long>(data) - Position::origin + offset + j * stride;
    }
  } else {
    const T* p = reinterpret_cast<const T*>(data) + offset;
    if (stride == 0) {
      const T value = *p;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    } else if (stride == 1 && last - first == V &&
               reinterpret_cast<unsigned long long>(p) % (sizeof(T) * V) == 0) {
      out = *reinterpret_cast<const Vector<T, V>*>(p);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        if (j >= first && j < last) {
          out.lane[j] = p[j * stride];
        } else {
          out.lane[j] = T{};
        }
      }
    }
  }
}

/// The same where the vector is known to be full and aligned, or one element for all lanes.
template <class T, int V>
__device__ __forceinline__ void load_aligned(Vector<T, V>& out, const char* data, int offset,
                                             int stride) {
  if constexpr (std::is_same_v<T, Position>) {
    load(out, data, offset, stride, 0, V);
  } else {
    const T* p = reinterpret_cast<const T*>(data) + offset;
    if (stride != 0) {
      out = *reinterpret_cast<const Vector<T, V>*>(p);
    } else {
      const T value = *p;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    }
  }
}

/// The same way back to memory.
template <class T, int V>
__device__ __forceinline__ void store(const Vector<T, V>& in, char* data, int offset, int stride,
                                      int first, int last) {
  T* p = reinterpret_cast<T*>(data) + offset;
  if (stride == 1 && last - first == V &&
      reinterpret_cast<unsigned long long>(p) % (sizeof(T) * V) == 0) {
    *reinterpret_cast<Vector<T, V>*>(p) = in;
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (j >= first && j < last) p[j * stride] = in.lane[j];
    }
  }
}

/// The registers of all operands; Types lists their element types, operand 0 being the target.
template <class Types, int V>
struct Registers;

template <class... Ts, int V>
struct Registers<weft::detail::TypeList<Ts...>, V> {
  Pack<Vector<Ts, V>...> values;

  /// Loads every operand at offset[k] with the given strides along the lanes.
  template <class Offset>
  __device__ __forceinline__ void load(char* const* data, const Offset* offset, const int* stride,
                                       int first, int last) {
    load_from<1>(values, data, offset, stride, first, last);
  }
  /// The same where vectors are aligned and full, or one element for all lanes; the operands that
  /// are bits of Splats are the latter.
  template <unsigned Splats = 0>
  __device__ __forceinline__ void load_aligned(char* const* data, const int* offset,
                                               const int* stride) {
    load_aligned_from<1, Splats>(values, data, offset, stride);
  }

 private:
  template <int K, unsigned Splats, class Head, class... Tail>
  __device__ __forceinline__ static void load_aligned_from(Pack<Head, Tail...>& values,
                                                           char* const* data, const int* offset,
                                                           const int* stride) {
    const int along = (Splats >> K & 1U) != 0 ? 0 : stride[K];
    cuda::load_aligned(values.head, data[K], offset[K], along);
    if constexpr (sizeof...(Tail) > 0) {
      load_aligned_from<K + 1, Splats>(values.tail, data, offset, stride);
    }
  }
  template <int, unsigned>
  __device__ __forceinline__ static void load_aligned_from(Pack<>&, char* const*, const int*,
                                                           const int*) {}
  template <int K, class Offset, class Head, class... Tail>
  __device__ __forceinline__ static void load_from(Pack<Head, Tail...>& values, char* const* data,
                                                   const Offset* offset, const int* stride,
                                                   int first, int last) {
    cuda::load(values.head, data[K], offset[K], stride[K], first, last);
    if constexpr (sizeof...(Tail) > 0) {
      load_from<K + 1>(values.tail, data, offset, stride, first, last);
    }
  }
  template <int, class Offset>
  __device__ __forceinline__ static void load_from(Pack<>&, char* const*, const Offset*, const int*,
                                                   int, int) {}
};

/// One lane of the registers, as programs read it.
template <class R>
struct Lane {
  const R& registers;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return load_element(weft::get<I - 1>(registers.values).lane[j]);
  }
};

}  // namespace weft::cuda

#endif

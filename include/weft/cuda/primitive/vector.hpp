// Vector: several neighbouring elements of an operand, loaded and stored 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "weft/core/ptx.hpp"
#include "weft/eval/program/executor.hpp"
#include "weft/eval/program/program.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// V elements that one load or store moves; a large Small moves in words of its alignment.
template <class T, int V>
struct alignas(sizeof(T) > alignof(T) && is_small<T> ? alignof(T) : sizeof(T) * V) Vector {
  T lane[V];
};
template <int V>
struct Vector<IndexOperand, V> {
  long long lane[V];
};

/// The values of a program at V lanes.
template <class T, int V>
struct LaneValues {
  T lane[V];
};

namespace detail {
template <class... Ts>
constexpr int widest(weft::detail::TypeList<Ts...>) {
  int bytes = 1;
  ((bytes = !std::is_same_v<Ts, IndexOperand> && static_cast<int>(sizeof(Ts)) > bytes
                ? static_cast<int>(sizeof(Ts))
                : bytes),
   ...);
  return bytes;
}
template <class... Ts>
constexpr int narrowest(weft::detail::TypeList<Ts...>) {
  int bytes = 16;
  ((bytes = !std::is_same_v<Ts, IndexOperand> && static_cast<int>(sizeof(Ts)) < bytes
                ? static_cast<int>(sizeof(Ts))
                : bytes),
   ...);
  return bytes;
}
template <class Out>
struct TargetsAnd {
  template <class... Ts>
  using type = weft::detail::TypeList<Out, Ts...>;
};
template <class... Outs>
struct TargetsAnd<weft::detail::TypeList<Outs...>> {
  template <class... Ts>
  using type = weft::detail::TypeList<Outs..., Ts...>;
};

/// Whether a thread with at most `most` of V elements skips those from j on: the last half or
/// quarter, uniformly for whole warps. More tests would split the code that the compiler schedules.
template <int V>
__device__ __forceinline__ bool ends_at(int j, int most) {
  return (j == V / 2 || (V >= 4 && j == V - V / 4)) && most <= j;
}
}  // namespace detail

/// Elements that fill 16 bytes of the widest operand. Out may be a TypeList of several targets.
template <class Out, class... Ts>
constexpr int lanes_of_widest(weft::detail::TypeList<Ts...>) {
  const int lanes = 16 / detail::widest(typename detail::TargetsAnd<Out>::template type<Ts...>{});
  return lanes == 0 || (lanes & (lanes - 1)) != 0 ? 1 : lanes;  // Small<T, R, C>
}
/// Elements per thread: 16 bytes of the narrowest operand, counted as at least 2 bytes wide, as
/// long as the widest takes at most 32 bytes.
template <class Out, class... Ts>
constexpr int lanes_of(weft::detail::TypeList<Ts...>) {
  using All = typename detail::TargetsAnd<Out>::template type<Ts...>;
  constexpr int narrow = detail::narrowest(All{});
  constexpr int wanted = 16 / (narrow > 2 ? narrow : 2);
  constexpr int most = 32 / detail::widest(All{});
  constexpr int least = lanes_of_widest<Out>(weft::detail::TypeList<Ts...>{});
  if constexpr (least * detail::widest(All{}) != 16) return 1;  // Small<T, R, C>
  return least > wanted ? least : wanted < most ? wanted : most > least ? most : least;
}

/// Lane j as programs read it; from Words, bfloat16s in one instruction each.
template <bool Words, class T, int V>
__device__ __forceinline__ auto lane_value(const Vector<T, V>& vector, int j) {
  if constexpr (Words && std::is_same_v<T, bfloat16> && V % 2 == 0) {
    unsigned word;
    std::memcpy(&word, vector.lane + (j & ~1), sizeof(word));
    return __uint_as_float((j & 1) != 0 ? word & 0xFFFF0000U : word << 16);
  } else {
    return load_element(vector.lane[j]);
  }
}

/// No operand has a copy elsewhere.
struct InPlace {
  template <int, class T>
  __device__ __forceinline__ const T* find(const T* p, int&) const {
    return p;
  }
};

/// Loads data[offset + j * stride] for lanes first <= j < last; the whole vector at once if it is
/// full, contiguous and aligned. An operand K that is neither contiguous nor one element for all
/// lanes may have a copy, which `copies` finds.
template <int K = 0, class T, int V, class Offset, class Copies = InPlace>
__device__ __forceinline__ void load(Vector<T, V>& out, const char* data, Offset offset, int stride,
                                     int first, int last, const Copies& copies = {}) {
  if constexpr (std::is_same_v<T, IndexOperand>) {
#pragma unroll
    for (int j = 0; j < V; ++j) {
      out.lane[j] = reinterpret_cast<long long>(data) - IndexOperand::origin + offset + j * stride;
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
      p = copies.template find<K>(p, stride);
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

/// Where a thread's vectors cross from a row into the next one.
struct RowEnds {
  unsigned before;  // bit j: lane j is the first of a row
  const int* jump;  // operand 0's
  __device__ __forceinline__ RowEnds of(int operand) const {
    return {before, jump + operand * (max_rank - 1)};
  }
};
/// The ends for a thread with `left` elements in its first row; bit j of `ends`: a row ends j later
/// too.
__device__ __forceinline__ RowEnds row_ends_from(unsigned ends, int left, const int* jump) {
  return {left < 32 ? ends << static_cast<unsigned>(left) : 0, jump};
}

/// Calls store(j, element) for elements that are `stride` apart, and further where a row ends.
template <int V, class T, class F>
__device__ __forceinline__ void load_apart(const T* p, int stride, RowEnds ends, const F& store) {
  // Otherwise the compiler looks for ends before the loop over rows, for operands that are not
  // apart.
  unsigned before = ends.before;
  weft::detail::ptx::forget_origin(before);
  const int over_end = *ends.jump;
  int at = 0;
#pragma unroll
  for (int j = 0; j < V; ++j) {
    if (j > 0) at += (before >> j & 1U) != 0 ? over_end : stride;
    store(j, p[at]);
  }
}

/// Loads V elements of two bytes, or one for all lanes, as words. Were they single in registers,
/// the cases would meet in as many moves as there are lanes, and each lane be shifted on its own.
template <class T, int V>
__device__ __forceinline__ void load_words(Vector<T, V>& out, const T* p, int stride, bool apart,
                                           RowEnds ends) {
  Vector<unsigned, V / 2> words;
  if (apart) {
    load_apart<V>(reinterpret_cast<const unsigned short*>(p), stride, ends,
                  [&](int j, unsigned short x) {
                    if (j % 2 == 0) {
                      words.lane[j / 2] = x;
                    } else {
                      words.lane[j / 2] |= static_cast<unsigned>(x) << 16U;
                    }
                  });
  } else if (stride != 0) {
    words = *reinterpret_cast<const Vector<unsigned, V / 2>*>(p);
  } else {
    const unsigned twice = *reinterpret_cast<const unsigned short*>(p) * 0x10001U;
#pragma unroll
    for (int j = 0; j < V / 2; ++j) words.lane[j] = twice;
  }
  std::memcpy(&out, &words, sizeof(out));
}

/// The same for a vector known to be full and, unless `apart`, aligned or one element for all
/// lanes. Types below 4 bytes are apart as words alone, since packing them otherwise would slow
/// down all others. `ends.jump` is this operand's. With Words, load_words loads elements of 2
/// bytes; not for programs that branch, whose branches would wait for it.
template <bool Words, class T, int V>
__device__ __forceinline__ void load_aligned(Vector<T, V>& out, const char* data, int offset,
                                             int stride, bool apart, RowEnds ends) {
  if constexpr (std::is_same_v<T, IndexOperand>) {
    const long long first = reinterpret_cast<long long>(data) - IndexOperand::origin + offset;
    const int over_end = *ends.jump;
    out.lane[0] = first;
#pragma unroll
    for (int j = 1; j < V; ++j)
      out.lane[j] = out.lane[j - 1] + ((ends.before >> j & 1U) != 0 ? over_end : stride);
  } else {
    const T* p = reinterpret_cast<const T*>(data) + offset;
    if constexpr (Words && sizeof(T) == 2 && V % 2 == 0) {
      load_words(out, p, stride, apart, ends);
    } else if (sizeof(T) >= 4 && apart) {
      load_apart<V>(p, stride, ends, [&](int j, const T& x) { out.lane[j] = x; });
    } else if (stride != 0) {
      out = *reinterpret_cast<const Vector<T, V>*>(p);
    } else {
      const T value = *p;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = value;
    }
  }
}

/// Stores likewise.
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

}  // namespace weft::on_cuda

#endif

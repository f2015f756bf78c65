// Programs over a thread's vector: slices selected by one index move 16 bytes at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/core/ptx.hpp"
#include "weft/cuda/primitive/registers.hpp"
#include "weft/ops/index/gather.hpp"
#include "weft/ops/index/scatter.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda {

/// What a program gathers or scatters along an axis: the bytes of the widest such element, 0 if
/// there is none, and as bits the operands that are indices and those that are offsets. Where the
/// indices are one element for all lanes of a thread and the offsets neighbours, the lanes'
/// elements are neighbours too.
struct RowAccess {
  int bytes = 0;
  std::uint64_t indices = 0;
  std::uint64_t offsets = 0;

  constexpr RowAccess operator|(const RowAccess& other) const {
    return {bytes > other.bytes ? bytes : other.bytes, indices | other.indices,
            offsets | other.offsets};
  }
  /// The same of something that writes elements of so many bytes.
  constexpr RowAccess with_bytes(int written) const { return {written, indices, offsets}; }
};
template <class P>
inline constexpr RowAccess row_access = {};
template <class Op, class... Ps>
  requires(has_effects<Apply<Op, Ps...>>)
inline constexpr RowAccess row_access<Apply<Op, Ps...>> = (row_access<Ps> | ... | RowAccess{});
template <class T, class Offsets, class Index>
inline constexpr RowAccess row_access<Apply<op::gathered<T, AlongAxis>, Offsets, Index>> = {
    (row_access<Offsets> | row_access<Index> | RowAccess{sizeof(T)}).bytes,
    weft::detail::uses_of<Index>, weft::detail::uses_of<Offsets>};
template <class T, class... Ps>
inline constexpr RowAccess row_access<Apply<op::store_at<T, AlongAxis>, Ps...>> =
    (row_access<Ps> | ... | RowAccess{}).with_bytes(sizeof(T));
template <class T, class... Ps>
inline constexpr RowAccess row_access<Apply<op::add_at<T, AlongAxis>, Ps...>> =
    (row_access<Ps> | ... | RowAccess{}).with_bytes(sizeof(T));

template <class P>
inline constexpr bool has_rows = row_access<P>.bytes != 0;

/// Elements per thread: 16 bytes of the wider of gathered elements and target, even if indices are
/// wider.
template <class Out, class Types>
constexpr int lanes_of_rows(int row) {
  const int widest = row > static_cast<int>(sizeof(Out)) ? row : static_cast<int>(sizeof(Out));
  const int widest_operand = 16 / lanes_of_widest<Out>(Types{});
  int lanes = widest < 16 ? 16 / widest : 1;
  while (lanes * widest_operand > 128) lanes /= 2;
  return lanes;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
inline constexpr bool adds_vectors = true;
#else
inline constexpr bool adds_vectors = false;
#endif

/// *p and its neighbours += values; p is a multiple of the whole vector's bytes.
template <class T, int V>
__device__ __forceinline__ void add_vector(T* p, const LaneValues<compute_t<T>, V>& values) {
  if constexpr (adds_vectors && std::is_same_v<T, float> && V == 4) {
    weft::detail::ptx::red_add_v4_f32(p, values.lane[0], values.lane[1], values.lane[2],
                                      values.lane[3]);
  } else if constexpr (adds_vectors && is_half<T> && V == 8) {
    unsigned pair[4];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const unsigned high = T(values.lane[2 * j + 1]).bits;
      pair[j] = T(values.lane[2 * j]).bits | high << 16;
    }
    if constexpr (std::is_same_v<T, weft::half>) {
      weft::detail::ptx::red_add_v4_f16x2(p, pair);
    } else {
      weft::detail::ptx::red_add_v4_bf16x2(p, pair);
    }
  } else {
#pragma unroll
    for (int j = 0; j < V; ++j) weft::detail::atomic_add(p + j, values.lane[j]);
  }
}

template <class T, int V>
__device__ __forceinline__ bool is_aligned_vector(const T* p) {
  return reinterpret_cast<unsigned long long>(p) % (sizeof(T) * V) == 0;
}

/// Evaluates a program at all lanes of a thread, with `slices` for its gathers along an axis.
template <int V, class R, class Slices>
struct ValuesOf {
  const R& registers;
  const Slices& slices;

  template <class P>
  __device__ __forceinline__ LaneValues<typename P::type, V> operator()(const P& program) const {
    if constexpr (has_rows<P>) {
      return node(program);
    } else {
      LaneValues<typename P::type, V> out;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = program(Lane<R, false>{registers, j});
      return out;
    }
  }

 private:
  template <class T, class Offsets, class Index>
  __device__ __forceinline__ LaneValues<compute_t<T>, V> node(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program) const {
    return slices(program, registers);
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
  __device__ __forceinline__ LaneValues<T, V> combine(const Op& op, const Vs&... values) const {
    LaneValues<T, V> out;
#pragma unroll
    for (int j = 0; j < V; ++j) out.lane[j] = op.value(values.lane[j]...);
    return out;
  }
};

/// The elements of one slice for all of a thread's lanes; only lanes in [first, last) are present.
template <int V>
struct OneSlice {
  int first = 0;
  int last = V;

  template <class T, class Offsets, class Index, class R>
  __device__ __forceinline__ LaneValues<compute_t<T>, V> operator()(
      const Apply<op::gathered<T, AlongAxis>, Offsets, Index>& program, const R& registers) const {
    const Lane<R, false> lane{registers, 0};
    const op::gathered<T, AlongAxis>& op = program.op;
    LaneValues<compute_t<T>, V> out;
    long long at = get<0>(program.programs)(lane);
    if (!op.finder.find(at, get<1>(program.programs)(lane))) {
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = op.none();
    } else if (first == 0 && last == V && is_aligned_vector<T, V>(op.data + at)) {
      const auto row = *reinterpret_cast<const Vector<T, V>*>(op.data + at);
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = load_element(row.lane[j]);
    } else {
#pragma unroll
      for (int j = 0; j < V; ++j) {
        out.lane[j] = j >= first && j < last ? load_element(op.data[at + j]) : op.none();
      }
    }
    return out;
  }
};

/// Runs a scatter's writes at lanes first <= j < last of a thread's registers.
template <int V, class R>
struct Writes {
  const R& registers;
  int first;
  int last;

  template <class Op, class... Ps>
  __device__ __forceinline__ void operator()(const Apply<Op, Ps...>& program) const {
    const auto offset = values(get<0>(program.programs));
    const auto index = values(get<1>(program.programs));
    const auto value = values(get<2>(program.programs));
    if constexpr (has_rows<Apply<Op, Ps...>>) {
      bool row = first == 0 && last == V;
#pragma unroll
      for (int j = 1; j < V; ++j) {
        row = row && index.lane[j] == index.lane[0] && offset.lane[j] == offset.lane[0] + j;
      }
      if (row && write_row(program.op, offset.lane[0], index.lane[0], value)) return;
    }
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (contains(j)) program.op.value(offset.lane[j], index.lane[j], value.lane[j]);
    }
  }

 private:
  __device__ __forceinline__ bool contains(int j) const { return j >= first && j < last; }

  template <class P>
  __device__ __forceinline__ LaneValues<typename P::type, V> values(const P& program) const {
    LaneValues<typename P::type, V> out{};
#pragma unroll
    for (int j = 0; j < V; ++j) {
      if (!has_effects<P> || contains(j)) out.lane[j] = program(Lane<R, false>{registers, j});
    }
    return out;
  }

  /// Writes all lanes at once; false if they are not aligned.
  template <template <class, class> class Op, class T, class I>
  __device__ __forceinline__ static bool write_row(const Op<T, AlongAxis>& op, long long at,
                                                   I index,
                                                   const LaneValues<compute_t<T>, V>& value) {
    if (!op.finder.find(at, index)) return true;
    T* p = op.data + at;
    if (!is_aligned_vector<T, V>(p)) return false;
    if constexpr (std::is_same_v<Op<T, AlongAxis>, op::add_at<T, AlongAxis>>) {
      add_vector(p, value);
    } else {
      Vector<T, V> out;
#pragma unroll
      for (int j = 0; j < V; ++j) out.lane[j] = static_cast<T>(value.lane[j]);
      *reinterpret_cast<Vector<T, V>*>(p) = out;
    }
    return true;
  }
};

}  // namespace weft::on_cuda

#endif

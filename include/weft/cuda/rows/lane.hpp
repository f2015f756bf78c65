// What a program reads of a row: one lane of a thread's vectors, and the row's reductions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cuda/primitive/vector.hpp"
#include "weft/eval/rows/program.hpp"

#if defined(__CUDACC__)

namespace weft::on_cuda::detail {

using weft::detail::TypeList;

/// The I-th of some types.
template <int I, class Head, class... Tail>
struct Nth : Nth<I - 1, Tail...> {};
template <class Head, class... Tail>
struct Nth<0, Head, Tail...> {
  using type = Head;
};

/// Bit i + first where the i-th type is T.
template <class T, class... Ts>
constexpr std::uint64_t leaves_of_type(int first) {
  std::uint64_t bits = 0;
  ((bits |= std::uint64_t{std::is_same_v<Ts, T>} << first++), ...);
  return bits;
}

/// Positions: of lane 0, and from a lane to the next.
struct RowPositions {
  long long first;
  long long step;
};
/// What a thread holds of an operand at a time.
template <class T, int V>
struct RowVectorOf {
  using type = Vector<T, V>;
};
template <int V>
struct RowVectorOf<IndexOperand, V> {
  using type = RowPositions;
};
template <class T, int V>
using RowVector = typename RowVectorOf<T, V>::type;

template <class T, int V>
__device__ __forceinline__ auto lane_of(const Vector<T, V>& vector, int j) {
  return lane_value<true>(vector, j);
}
__device__ __forceinline__ long long lane_of(const RowPositions& positions, int j) {
  return positions.first + j * positions.step;
}

/// The inputs of a program at lane j of a thread's vectors.
template <int First, class Registers, class Values>
struct RowLane {
  const Registers& registers;
  const Values& values;
  int j;
  template <int I>
  __device__ __forceinline__ auto get() const {
    return lane_of(weft::get<I - First>(registers), j);
  }
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values);
  }
};

/// Bit I where the I-th type is IndexOperand.
template <class... Ts>
struct RowKernelTypes {
  static constexpr std::uint64_t positions = leaves_of_type<IndexOperand, Ts...>(0);
};

/// The inputs of a program that depends only on a row's reductions. It may still name operands,
/// which are then 0.
struct UnreadOperand {
  template <class T>
  __device__ __forceinline__ constexpr operator T() const {
    return T{};
  }
};
template <class Values>
struct RowScalars {
  const Values& values;
  template <int I>
  __device__ __forceinline__ UnreadOperand get() const {
    return {};
  }
  template <int I>
  __device__ __forceinline__ auto reduced() const {
    return weft::get<I>(values);
  }
};

}  // namespace weft::on_cuda::detail

#endif

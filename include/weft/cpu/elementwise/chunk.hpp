// Chunks of elements: loops without AVX2 call, for all of a chunk, what takes many instructions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "weft/cpu/elementwise/element_work.hpp"
#include "weft/cpu/elementwise/vector_program.hpp"

namespace weft::cpu::detail {

/// Values of a program for some elements.
inline constexpr int64_t chunk_size = 64;
template <class T>
struct Chunk {
  alignas(32) T at[chunk_size];
};

/// The first n values of an operation, in vectors, by a function that all statements share.
template <class T, class Op, class... Vs>
[[gnu::noinline, gnu::flatten
#if defined(__OPTIMIZE__) && !defined(__clang__)
  ,
  gnu::optimize("tree-loop-vectorize", "vect-cost-model=dynamic")
#endif
]] void
called(Op op, int64_t n, T* to, const Vs*... values) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = op.value(values[i]...);
}

template <class P>
inline constexpr bool takes_many_instructions = false;
template <class Op, class... Ps>
inline constexpr bool takes_many_instructions<Apply<Op, Ps...>> =
    !takes_few_instructions<Op> || (takes_many_instructions<Ps> || ...);

/// Calls a loop for each chunk of rows of n elements; all of its `count` operands have elements of
/// `itemsize` bytes.
WEFT_OUTLINED inline void run_chunks(ElementLoop* loop, const void* programs, char* const* at,
                                     const int64_t* step, const int64_t* skip, int64_t rows,
                                     int64_t n, int count, int itemsize) {
  auto** places =
      static_cast<char**>(__builtin_alloca(static_cast<std::size_t>(count) * sizeof(char*)));
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t first = 0; first < n; first += chunk_size) {
      for (int k = 0; k < count; ++k) places[k] = at[k] + r * skip[k] + first * itemsize;
      loop(programs, places, step, skip, 1, n - first < chunk_size ? n - first : chunk_size);
    }
  }
}

/// n values of a program to `to`: what takes many instructions is called for all of them.
template <class P, class T, class Operands>
WEFT_INLINE void compute(const P& program, const Operands& operands, int64_t n, T* to) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
  for (int64_t i = 0; i < n; ++i) to[i] = program(ElementAt<1, Operands>{operands, i});
}
/// The same: where they are in memory, or else in `room`.
template <class P, class T, class Operands>
WEFT_INLINE const T* computed(const P& program, const Operands& operands, int64_t n,
                              Chunk<T>& room) {
  compute(program, operands, n, room.at);
  return room.at;
}
template <int I, class T, class Operands>
  requires(
      std::is_same_v<decltype(weft::get<I - 1>(std::declval<const Operands&>()).data), const T*>)
WEFT_INLINE const T* computed(const Arg<I, T>&, const Operands& operands, int64_t, Chunk<T>&) {
  return weft::get<I - 1>(operands).data;
}
#if !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"  // g++ 12 at -O1 does not see rooms filled
#endif
template <class Op, class... Ps, class T, class Operands>
  requires(takes_many_instructions<Apply<Op, Ps...>>)
WEFT_INLINE void compute(const Apply<Op, Ps...>& program, const Operands& operands, int64_t n,
                         T* to) {
  [&]<std::size_t... I>(std::index_sequence<I...>) WEFT_ALWAYS_INLINE {
    Pack<Chunk<typename Ps::type>...> rooms;
    const auto call = [&](const auto*... values) WEFT_ALWAYS_INLINE {
      if constexpr (takes_few_instructions<Op>) {
#if !defined(__clang__)
#pragma GCC ivdep
#endif
        for (int64_t i = 0; i < n; ++i) to[i] = program.op.value(values[i]...);
      } else {
        called(program.op, n, to, values...);
      }
    };
    call(computed(weft::get<static_cast<int>(I)>(program.programs), operands, n,
                  weft::get<static_cast<int>(I)>(rooms))...);
  }
  (std::index_sequence_for<Ps...>{});
}
#if !defined(__clang__)
#pragma GCC diagnostic pop
#endif

}  // namespace weft::cpu::detail
